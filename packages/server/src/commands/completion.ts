import { product } from '@tollgate/contract';
import { fail } from './shared/fail.ts';
import { namedCalls } from './shared/named-calls.ts';

/** What may follow the name of a command: words, or files ('files'). */
function wordsAfter(commands: readonly string[]): Record<string, readonly string[] | 'files'> {
  return {
    call: namedCalls.map(({ name }) => name),
    site: ['export', 'diff', 'apply', 'from-litellm'],
    completion: Object.keys(shells),
    help: commands,
    backup: 'files',
    restore: 'files',
    verify: 'files',
  };
}

/** The script of a shell that completes the commands, and the word after a command; then names of files. */
const shells = {
  bash: (name: string, commands: readonly string[]) => {
    const cases = Object.entries(wordsAfter(commands)).map(([command, words]) =>
      words === 'files'
        ? `    ${command}) COMPREPLY=($(compgen -f -- "$word")) ;;`
        : `    ${command}) COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$word")) ;;`,
    );
    return `_${name}() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  [ "$COMP_CWORD" -eq 1 ] && { COMPREPLY=($(compgen -W '${commands.join(' ')}' -- "$word")); return; }
  [ "$COMP_CWORD" -eq 2 ] || return
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
}
complete -o default -F _${name} ${name}
`;
  },
  zsh: (name: string, commands: readonly string[]) => {
    const cases = Object.entries(wordsAfter(commands)).map(([command, words]) =>
      words === 'files' ? `    ${command}) _files ;;` : `    ${command}) compadd -- ${words.join(' ')} ;;`,
    );
    return `#compdef ${name}
_${name}() {
  if (( CURRENT == 2 )); then compadd -- ${commands.join(' ')}; return; fi
  if (( CURRENT > 3 )); then _files; return; fi
  case $words[2] in
${cases.join('\n')}
  esac
}
compdef _${name} ${name}
`;
  },
  fish: (name: string, commands: readonly string[]) => {
    const first = `complete -c ${name} -n __fish_use_subcommand -f -a '${commands.join(' ')}'`;
    const after = Object.entries(wordsAfter(commands)).flatMap(([command, words]) =>
      words === 'files'
        ? []
        : [
            `complete -c ${name} -n '__fish_seen_subcommand_from ${command}; and test (count (commandline -opc)) -eq 2' -f -a '${words.join(' ')}'`,
          ],
    );
    return `${[first, ...after].join('\n')}\n`;
  },
};

const usage = `Prints the script that completes commands in a shell:

  bash  source <(${product.id} completion bash)
  zsh   source <(${product.id} completion zsh)
  fish  ${product.id} completion fish | source
`;

/** \`completion <shell>\`; the launcher adds the names of all commands. */
function main([shell = '', ...commands]: readonly string[]): void {
  const write = Object.entries(shells).find(([each]) => each === shell)?.[1];
  if (write) return void process.stdout.write(write(product.id, commands));
  if (shell !== '' && shell !== '--help') throw new Error(`there is no script for ${shell}\n\n${usage}`);
  process.stdout.write(usage);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  fail('No script was written', error);
}
