/**
 * Size of a scoreboard experiment (docs/reliability.md): `full` with SCOREBOARD=full, otherwise a size that fits into
 * every test run.
 */
export const sized = <T = number>(full: T, quick: T): T =>
  process.env['SCOREBOARD'] === 'full' ? full : quick;
