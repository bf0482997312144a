import { setTimeout } from 'node:timers/promises';

/** Unix milliseconds. Passed as an argument wherever a rule depends on the time, so that tests can control it. */
export type Clock = () => number;

/** The clock of the machine. */
export const systemClock: Clock = Date.now;

/**
 * Waits this number of ms; rejects with the signal's reason when that is aborted. Passed as an argument, like the
 * clock.
 */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Waits with the timers of the machine. */
export const systemSleep: Sleep = (ms, signal) => setTimeout(ms, undefined, signal ? { signal } : {});

/** Unix seconds, the unit of every stored time. */
export const seconds = (clock: Clock): number => Math.floor(clock() / 1000);

/** The start of the hour that contains a moment; both in Unix seconds. */
export const hourOf = (at: number): number => at - (at % 3600);

/** The start of the month (UTC) a number of months after the one that contains a moment, by default one; in Unix seconds. */
export function nextMonth(at: number, months = 1): number {
  const date = new Date(at * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / 1000;
}
