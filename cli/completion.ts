/** Generates shell completion from the table of commands. */
import { globalOptions, isOnByDefault } from '../shared/commands/command.ts'
import { commands } from '../shared/commands/index.ts'
import type { Action } from './call.ts'
import { Failure } from './failure.ts'

const first = [...new Set(commands.map(({ words }) => words.split(' ')[0] ?? ''))]

/** The second words of commands, grouped by the first word. */
const second = first
  .map((word) => ({
    word,
    next: commands.filter(({ words }) => words.startsWith(`${word} `)).map(({ words }) => words.slice(word.length + 1))
  }))
  .filter(({ next }) => next.length > 0)

const optionWords = commands.map(({ words, options }) => ({
  words,
  options: [...options, ...globalOptions].map((option) => `--${isOnByDefault(option) ? 'no-' : ''}${option.name}`)
}))

const bash = (): string => `# agmd: completion for bash. Put this into ~/.bashrc: eval "$(agmd completion bash)"
_agmd() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=''
  COMPREPLY=()
  if [[ $word == -* ]]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${optionWords.map(({ words, options }) => `      "${words}"${words.includes(' ') ? '' : '*'}) words='${options.join(' ')}' ;;`).join('\n')}
    esac
  elif [[ $COMP_CWORD == 1 ]]; then
    words='${first.join(' ')}'
  elif [[ $COMP_CWORD == 2 ]]; then
    case "\${COMP_WORDS[1]}" in
${second.map(({ word, next }) => `      ${word}) words='${next.join(' ')}' ;;`).join('\n')}
    esac
  fi
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _agmd agmd
`

const quoted = (text: string): string => text.replaceAll("'", '’')

const zsh = (): string => `#compdef agmd
# agmd: completion for zsh. Put this into ~/.zshrc: eval "$(agmd completion zsh)"
_agmd() {
  local -a found
  if [[ $words[CURRENT] == -* ]]; then
    case "$words[2] $words[3]" in
${optionWords.map(({ words, options }) => `      '${words}'${words.includes(' ') ? '' : '*'}) found=(${options.join(' ')}) ;;`).join('\n')}
    esac
    compadd -- $found
  elif (( CURRENT == 2 )); then
    compadd -- ${first.join(' ')}
  elif (( CURRENT == 3 )); then
    case "$words[2]" in
${second.map(({ word, next }) => `      ${word}) compadd -- ${next.join(' ')} ;;`).join('\n')}
      *) _files ;;
    esac
  else
    _files
  fi
}
compdef _agmd agmd
`

const fish = (): string => `# agmd: completion for fish. Put this into ~/.config/fish/completions/agmd.fish
complete -c agmd -n __fish_use_subcommand -f -a '${first.join(' ')}'
${second.map(({ word, next }) => `complete -c agmd -n "__fish_seen_subcommand_from ${word}; and test (count (commandline -opc)) -eq 2" -f -a '${next.join(' ')}'`).join('\n')}
${commands
  .flatMap(({ words, options }) => {
    const seen = words
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    return options.map(
      ({ name, short, summary }) =>
        `complete -c agmd -n "${seen}" -l ${name}${short === undefined ? '' : ` -s ${short}`} -d '${quoted(summary)}'`
    )
  })
  .join('\n')}
`

const shells: Readonly<Record<string, () => string>> = { bash, zsh, fish }

export const completion: Action = async (call) => {
  const shell = call.positional('SHELL') ?? ''
  const script = Object.hasOwn(shells, shell) ? shells[shell]?.() : undefined
  if (script === undefined) throw new Failure('usage', `There is no completion for "${shell}".`, 'Use bash, zsh or fish.')
  call.terminal.print(script)
}
