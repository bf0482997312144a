/**
 * The size of a scoreboard experiment (docs/reliability.md): `full` with SCOREBOARD=full, else one that fits into every
 * run of the tests.
 */
export const sized = <T = number>(full: T, quick: T): T =>
  process.env['SCOREBOARD'] === 'full' ? full : quick;
