/** Ends a command that failed: one line, and an exit status for scripts. */
export function fail(what: string, error: unknown): never {
  process.stderr.write(`${what}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
