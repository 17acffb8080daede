// Searches in the page itself: a page that is opened from a folder may start no worker and request no file.
// The first search loads index.js: `lunr`, and `documents`, the search index of MkDocs.
document.addEventListener("DOMContentLoaded", () => {
    const found = document.getElementById("mkdocs-search-results");
    const input = document.getElementById("mkdocs-search-query");
    let index, places;

    function load() {
        const script = document.createElement("script");
        script.src = `${base_url}/search/index.js`;
        script.onload = () => {
            places = new Map(documents.docs.map(each => [each.location, each]));
            index = indexed();
            search();
        };
        document.head.appendChild(script);
    }

    function indexed() {
        return lunr(function () {
            this.ref("location");
            this.field("title", {boost: 10});
            this.field("text");
            documents.docs.forEach(each => this.add(each));
        });
    }

    function entry({location, title, text}) {
        const article = document.createElement("article");
        const link = article.appendChild(document.createElement("h3")).appendChild(document.createElement("a"));
        link.href = `${base_url}/${location}`;
        link.textContent = title;
        article.appendChild(document.createElement("p")).textContent = text.slice(0, 200);
        return article;
    }

    function search() {
        if (!index) return;
        const words = lunr.tokenizer(input.value).map(String);
        const results = words.length ? index.query(query => words.forEach(word => {
            query.term(word, {boost: 10});
            query.term(word, {wildcard: lunr.Query.wildcard.TRAILING});
        })) : [];
        const none = document.createTextNode(words.length ? "No results found" : "");
        found.replaceChildren(...(results.length ? results.map(result => entry(places.get(result.ref))) : [none]));
    }

    input.addEventListener("focus", load, {once: true});
    input.addEventListener("input", search);
});
