# fish completion of cured, as “cured --completions fish” prints it
function __cured_complete
  for line in (cured --complete fish (commandline -cp) 2> /dev/null)
    switch $line
      case '</'
        __fish_complete_directories
      case '<*'
        __fish_complete_suffix (string sub -s 2 -- $line)
      case '*'
        echo $line
    end
  end
end
complete -c cured -f -a '(__cured_complete)'
