import type { Generated } from 'kysely';

/**
 * What calls charged in an hour, summed up by one thing they have in common. Written behind the log by a job, so that
 * settlements do not pay for it.
 */
export interface LogHourTable {
  /** What `ref` or `name` is: see `sumKinds`. */
  kind: number;
  /** An id; 0 where the kind has none. */
  ref: number;
  /** A name; '' where the kind has none. */
  name: string;
  /** Unix seconds of the hour's start. */
  hour: number;
  /** 1 for rows that were deleted since, 0 for rows that are there. */
  gone: number;
  /** Quota units. */
  quota: number;
  /** What of it teams paid. */
  team_quota: number;
  /** What of `quota` was given back later, and of `team_quota`. */
  refunded: number;
  team_refunded: number;
}

/** Hours in which rows came, changed or went behind the sums: until they are summed anew, their rows are read. */
export interface LogHourMarkTable {
  id: Generated<number>;
  /** Unix seconds of the hour's start. */
  hour: number;
}
