import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { version } from './boot/version.ts';
import { readFlags } from './flags.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const run = promisify(execFile);

describe('the command line', () => {
  it.each([['--port', '8080'], ['-port', '8080'], ['--port=8080'], ['-port=8080']])(
    'takes a port as %s %s',
    (...words) => {
      expect(readFlags(words)).toEqual({ port: '8080', ignored: [] });
    },
  );

  it('asks for nothing when it is empty', () => {
    expect(readFlags([])).toEqual({ port: undefined, ignored: [] });
  });

  it('says of a flag of another gateway that it does nothing, and starts', () => {
    expect(readFlags(['--log-dir', '/app/logs'])).toEqual({
      port: undefined,
      ignored: [expect.stringMatching(/^--log-dir does nothing here: /)],
    });
  });

  it.each([['--prot', '80'], ['8080'], ['--port'], ['-p', '80']])(
    'refuses what it does not know: %s %s',
    (...words) => {
      expect(() => readFlags(words)).toThrow(/option|argument/i);
    },
  );

  it('answers --version and --help without a start', async () => {
    expect((await run(process.execPath, [main, '--version'])).stdout).toBe(`${version}\n`);
    expect((await run(process.execPath, [main, '-help'])).stdout).toContain('--port');
  });

  it('ends the start with one line about a word that it does not know', async () => {
    await expect(run(process.execPath, [main, '--prot', '80'])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Tollgate cannot start: .*--prot/) as string,
    });
  });
});
