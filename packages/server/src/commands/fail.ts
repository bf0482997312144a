/** Ends a command that could not do its work: one line, and a status that scripts notice. */
export function fail(what: string, error: unknown): never {
  process.stderr.write(`${what}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
