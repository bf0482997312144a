#!/usr/bin/env node
// The command of a release: for `npx`, a global install, the image, and every archive command except the start. In a release
// it is in `bin`, beside a file with Node's flags.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { become, findNode } from './launch.mjs';

const bin = dirname(fileURLToPath(import.meta.url));
const home = dirname(bin);
const { name } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));

const commands = {
  start: 'serves; prints the link that sets a new site up (the default; --help has its flags)',
  backup: 'makes a verified copy of the database and its key',
  restore: 'lists backups; with a name, goes back to that one',
  doctor: 'says in words what is wrong',
  call: 'makes a management call; --help says how',
  site: 'keeps channels, settings and budgets in a file: export, diff, apply',
  import: 'moves another installation in (docs/how-to/move-in.md)',
  'rebuild-sums': 'counts the sums of the log again',
  'return-logs': 'moves the log back from a database of its own',
  'rotate-key': 'encrypts all secrets with a new master key',
  verify: 'verifies signed receipts, also offline; --help says how',
  mcp: 'serves the management calls to a model (read-only; --help says how)',
  completion: 'prints the script that completes these commands in bash, zsh or fish',
};

/** The folder for user data of programs on this system. */
function ownData() {
  if (process.platform === 'darwin') return join(homedir(), 'Library/Application Support');
  if (process.platform === 'win32') return process.env.LOCALAPPDATA || join(homedir(), 'AppData/Local');
  // The specification of these folders ignores a relative path.
  const named = process.env.XDG_DATA_HOME || '';
  return isAbsolute(named) ? named : join(homedir(), '.local/share');
}

const [first = 'start', ...rest] = process.argv.slice(2);
const [command, words] = first.startsWith('-') ? ['start', [first, ...rest]] : [first, rest];

if (command === 'help') {
  const lines = Object.entries(commands).map(([each, does]) => `  ${name} ${each.padEnd(13)} ${does}`);
  console.log(`${lines.join('\n')}\n\nData is kept in DATA_DIR, else in ${join(ownData(), name)}.`);
} else if (!Object.prototype.hasOwnProperty.call(commands, command)) {
  console.error(`No such command: ${command}. There are ${Object.keys(commands).join(', ')}.`);
  process.exitCode = 1;
} else {
  const data = process.env.DATA_DIR || join(ownData(), name);
  const isAsked = words.some((word) => /^--?(?:help|version)$/.test(word));
  if (command === 'start' && !process.env.DATA_DIR && !isAsked) console.log(`Data is kept in ${data}.`);
  const env = { NODE_COMPILE_CACHE: join(data, 'compiled'), ...process.env, DATA_DIR: data };
  // An operator's flags are last and take precedence.
  const flags = `${readFileSync(join(bin, 'node-flags'), 'utf8')} ${process.env.NODE_FLAGS || ''}`;
  const file = join(home, 'packages/server/dist', `${command === 'start' ? 'main' : command}.js`);
  // Only this file knows the names of all commands.
  const names = command === 'completion' && words.length > 0 ? ['help', ...Object.keys(commands)] : [];
  become(findNode(), [...flags.split(/\s+/).filter(Boolean), file, ...words, ...names], env);
}
