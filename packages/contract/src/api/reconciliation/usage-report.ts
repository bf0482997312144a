import { z } from 'zod';
import { whole } from '../../whole.ts';

/** Where the usage that a vendor counted comes from: its own calls, or a file. */
const usageSources = ['openai', 'anthropic', 'openrouter', 'csv'] as const;
export type UsageSource = (typeof usageSources)[number];

/** The sources that are asked over the network. */
export const fetchedSources = ['openai', 'anthropic', 'openrouter'] as const;
export type FetchedSource = (typeof fetchedSources)[number];

/** What a file may be, in characters; a console call takes little more. */
export const maxCsvText = 3_000_000;
/** As much of a file as a preview reads. */
export const maxCsvHead = 64_000;
/** Days that one report spans at most. */
export const maxReportDays = 92;

const id = whole(1, Number.MAX_SAFE_INTEGER);
/** Channels that are one account at the vendor. */
export const reportChannels = z.array(id).min(1).max(200);

const column = z.string().max(255).default('');

/** Which column of a file holds what, by its name in the head row, or by its number where there is none; '' for none. */
export const csvMapping = z.object({
  delimiter: z.enum([',', ';', '\t', '|']).default(','),
  /** The first row names the columns. */
  header: z.boolean().default(true),
  /** How days are written; with `ymd` a time may follow, which is read as UTC. */
  date_format: z.enum(['ymd', 'dmy', 'mdy', 'unix']).default('ymd'),
  date: z.string().min(1).max(255),
  model: z.string().min(1).max(255),
  requests: column,
  input: column,
  cached: column,
  output: column,
  cost: column,
  /** What a cost counts: US dollars, or cents. */
  cost_unit: z.enum(['dollars', 'cents']).default('dollars'),
});
export type CsvMapping = z.output<typeof csvMapping>;

/** What one side counted. Null where it does not say; costs in quota units. */
const usageSide = z.object({
  calls: z.number().int().nullable(),
  /** All input tokens, cached ones too. */
  input: z.number().int().nullable(),
  cached: z.number().int().nullable(),
  output: z.number().int().nullable(),
  cost: z.number().int().nullable(),
});
export type UsageSide = z.output<typeof usageSide>;

/** The figures of a side, for loops over all of them. */
export const usageFigures = ['calls', 'input', 'cached', 'output', 'cost'] as const;
export type UsageFigure = (typeof usageFigures)[number];

/** What our books have of one channel and one name that callers asked for. */
const usagePart = z.object({
  channel: z.number().int(),
  /** The channel's name now, '' where it is gone. */
  channel_name: z.string(),
  /** As callers name it: by this the log finds the calls. */
  model: z.string(),
  calls: z.number().int(),
  input: z.number().int(),
  output: z.number().int(),
  cost: z.number().int(),
  /** Calls whose cost is not known. */
  unknown_calls: z.number().int(),
});
export type UsagePart = z.output<typeof usagePart>;

/** `open`: the side of money is not known to us, and all that is known agrees. */
const reportStates = ['equal', 'open', 'differs', 'only_ours', 'only_theirs'] as const;
export type ReportState = (typeof reportStates)[number];

const reportRow = z.object({
  /** Start of the day (UTC), Unix seconds. */
  day: z.number().int(),
  /** As it was sent to the vendor; '' for what the vendor names no model for. */
  model: z.string(),
  /** The names that are counted together here. */
  names: z.array(z.string()),
  state: z.enum(reportStates),
  /** The day was not over when the vendor was asked. */
  incomplete: z.boolean(),
  ours: usageSide.extend({ unknown_calls: z.number().int() }).nullable(),
  theirs: usageSide.nullable(),
  parts: z.array(usagePart),
});
export type ReportRow = z.output<typeof reportRow>;

/** A report that is kept. */
export const usageReport = z.object({
  id: z.number().int(),
  source: z.enum(usageSources),
  /** The name of a file; '' for what was fetched. */
  name: z.string(),
  channels: z.array(z.number().int()),
  /** The first day and the end of the last (exclusive), Unix seconds, UTC. */
  start_time: z.number().int(),
  end_time: z.number().int(),
  created_at: z.number().int(),
  /** Days and models that the vendor names. */
  lines: z.number().int(),
});
export type UsageReport = z.output<typeof usageReport>;

export const comparedReport = z.object({
  report: usageReport,
  /** The newest days first; at most 5,000. */
  rows: z.array(reportRow),
  /** Of all rows. */
  ours: usageSide.extend({ unknown_calls: z.number().int() }),
  theirs: usageSide,
  /** Rows that neither agree nor are open. */
  differences: z.number().int(),
  truncated: z.boolean(),
});
export type ComparedReport = z.output<typeof comparedReport>;

/** Why a vendor's usage could not be read. */
const usageFaults = [
  'unauthorized',
  'rate_limited',
  'refused',
  'malformed',
  'too_large',
  'unreachable',
] as const;

export const usageFetch = z.object({
  id: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  /** Pages that were read. */
  pages: z.number().int(),
  /** The report that came of it; 0 until then. */
  report: z.number().int(),
  fault: z.enum(usageFaults).nullable(),
  /** What the vendor said, or where it broke, in technical words. */
  detail: z.string(),
  /** Seconds after which the vendor may be asked again; 0 where it did not say. */
  retry_after: z.number().int(),
});
export type UsageFetch = z.output<typeof usageFetch>;
