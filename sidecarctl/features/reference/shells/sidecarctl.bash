# bash completion for sidecarctl: eval "$(sidecarctl completion bash)"
_sidecarctl() {
    local IFS=$'\n'
    COMPREPLY=($("$1" __complete bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/=] ]]; then
        compopt -o nospace
    fi
}
complete -F _sidecarctl sidecarctl
