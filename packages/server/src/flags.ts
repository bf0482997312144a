import { product } from '@tollgate/contract/product';
import { parseArgs } from 'node:util';
import { version } from './boot/version.ts';

/** How the server is started. */
export interface StartFlags {
  /** Goes before PORT. */
  port: string | undefined;
  /** A line for each flag of another gateway that does nothing here. */
  ignored: string[];
}

const options = {
  port: { type: 'string' },
  'log-dir': { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const help = `Starts ${product.name} ${version}.

  --port <number>   Port to listen on, instead of PORT
  --version         Prints the version
  --help            Prints this

Everything else: environment variables and the console (docs/how-to/configuration.md).
`;

/**
 * Reads the words behind the program: the flags of the gateway that people move in from, with one dash or two. Throws
 * for any other word, so that nobody believes it was heard. Where a text is asked for, nothing is started.
 */
export function readFlags(words: readonly string[]): StartFlags | { print: string } {
  const args = words.map((word) => word.replace(/^-(?=[a-z])/, '--'));
  const { values } = parseArgs({ args, options, strict: true });
  if (values.help) return { print: help };
  if (values.version) return { print: `${version}\n` };
  const ignored =
    values['log-dir'] === undefined
      ? []
      : ['--log-dir does nothing here: the log goes to the standard output, where the supervisor keeps it'];
  return { port: values.port, ignored };
}
