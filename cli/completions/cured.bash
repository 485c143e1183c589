# bash completion of cured, as “cured --completions bash” prints it
_cured ()
{
  local asked=${COMP_LINE:0:COMP_POINT} word file value line suffix

  COMPREPLY=()
  word=${asked##*[[:space:]]}
  value=$word
  [[ $word == --*=* ]] && value=${word#*=}
  while IFS= read -r line; do
    if [[ $line == '<'* ]]; then
      suffix=${line#<}
      compopt -o filenames 2> /dev/null
      while IFS= read -r file; do
        if [[ -d $file || ( $suffix != / && $file == *"$suffix" ) ]]; then
          COMPREPLY+=("$file")
        fi
      done < <(compgen -f -- "$value")
    else
      line=${line%%$'\t'*}
      [[ $line != *' '* || $value == [\"\']* ]] || printf -v line %q "$line"
      COMPREPLY+=("$line")
    fi
  done < <("${COMP_WORDS[0]:-cured}" --complete bash "$asked" 2> /dev/null)
  # The shell takes what follows a colon for a word of its own.
  if [[ $COMP_WORDBREAKS == *:* && $value == *:* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${value%"${value##*:}"}"}")
  fi
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2> /dev/null
  return 0
}
complete -F _cured cured
