import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { AppError, product, type RehearsalInput } from '@tollgate/contract';
import { removeLeftCopies } from '../../../store/index.ts';

/** Reads the database of another gateway, and returns the report of its import. Throws `import_refused`, `server_busy`. */
export type RehearseImport = (source: Omit<RehearsalInput, 'token'>) => Promise<string>;

const limits = { timeout: 180_000, killSignal: 'SIGKILL', maxBuffer: 16_777_216 } as const;
/** Of a reason that the command prints. */
const maxReason = 1_000;

/**
 * Rehearses imports by the command of operators, one at a time and in its own process: a large database takes neither
 * the memory nor the time of this one. Addresses and keys are passed as variables, which other users of the machine do
 * not see.
 */
export function createImportRehearsal(command: string): RehearseImport {
  let isRunning = false;
  removeLeftCopies();
  return async ({ source_database: source, source_key: key, credit }) => {
    if (isRunning) throw new AppError('server_busy');
    isRunning = true;
    try {
      const args = [command, '--dry-run', '--live', ...(credit === undefined ? [] : [`--credit=${credit}`])];
      return await run(args, {
        PATH: process.env['PATH'],
        IMPORT_FROM: source,
        // A place without data: the rehearsal does not look at this site.
        DATA_DIR: join(tmpdir(), `${product.id}-rehearsal-${process.pid}`),
        ...(key !== '' && { LITELLM_SALT_KEY: key, TOTP_ENCRYPTION_KEY: key }),
      });
    } finally {
      // Of a command that was killed.
      removeLeftCopies();
      isRunning = false;
    }
  };
}

const run = (args: string[], env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, args, { ...limits, env }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const printed = /^Nothing was imported: ([^]*)$/m.exec(stderr)?.[1]?.trim();
      const reason = printed ?? (error.killed ? 'it takes too long: use the command' : 'the command failed');
      reject(new AppError('import_refused', { reason: reason.slice(0, maxReason) }, error));
    });
  });
