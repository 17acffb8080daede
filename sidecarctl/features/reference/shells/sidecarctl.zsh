#compdef sidecarctl
# zsh completion for sidecarctl: source <(sidecarctl completion zsh)
_sidecarctl() {
    local value told
    local -a whole told_of_whole open told_of_open
    while IFS=$'\t' read -r value told; do
        if [[ $value == *[/=] ]]; then
            open+=("$value")
            told_of_open+=("$value${told:+  -- $told}")
        else
            whole+=("$value")
            told_of_whole+=("$value${told:+  -- $told}")
        fi
    done < <("${words[1]}" __complete zsh "${(Q@)words[1,CURRENT]}" 2>/dev/null)
    (( $#whole )) && compadd -l -d told_of_whole -a whole
    (( $#open )) && compadd -S '' -l -d told_of_open -a open
}
if [[ ${funcstack[1]} == _sidecarctl ]]; then
    _sidecarctl "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _sidecarctl sidecarctl
fi
