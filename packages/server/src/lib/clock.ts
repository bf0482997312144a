/** Unix milliseconds. Passed as an argument wherever a rule depends on the time, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

/** Unix seconds, the unit of every stored time. */
export const seconds = (clock: Clock): number => Math.floor(clock() / 1000);
