#compdef cured
# zsh completion of cured, as “cured --completions zsh” prints it
_cured ()
{
  local line asked="${(j: :)words[1,CURRENT-1]} $PREFIX"
  local -a plain described valued

  [[ $PREFIX == --*=* ]] && compset -P '*='
  for line in ${(f)"$($words[1] --complete zsh $asked 2> /dev/null)"}; do
    case $line in
      '</') _files -/ ;;
      '<'*) _files -g "*${line#<}" ;;
      *=$'\t'*) valued+=("${line/$'\t'/:}") ;;
      *$'\t') plain+=("${line%$'\t'}") ;;
      *) described+=("${line/$'\t'/:}") ;;
    esac
  done
  (( $#described )) && _describe -t words word described
  (( $#valued )) && _describe -t options option valued -S ''
  (( $#plain )) && compadd -V plain -a plain
}
_cured "$@"
