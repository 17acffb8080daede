# fish completion for sidecarctl: sidecarctl completion fish | source
function __sidecarctl_complete
    set -l current (commandline -ct)
    sidecarctl __complete fish (commandline -opc) "$current" 2>/dev/null
end
complete -c sidecarctl -f -a '(__sidecarctl_complete)'
