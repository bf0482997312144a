import type { Protocol } from './protocols.ts';

/** Modes of the bench's upstream, by the distance of its port from the first. */
export const upstreamPorts = {
  json: 0,
  once: 1,
  paced: 2,
  slow: 3,
  padded: 4,
  messages: 5,
  gemini: 6,
  thinking: 7,
} as const;
export type UpstreamMode = keyof typeof upstreamPorts;

/**
 * A model for each mode: the gateway chooses the channel by it. Cheap ones of the built-in price table,
 * so that the balance lasts.
 */
export const modelOf: Record<UpstreamMode, string> = {
  json: 'gpt-4o-mini',
  once: 'gpt-4.1-nano',
  paced: 'gpt-4.1-mini',
  slow: 'gpt-3.5-turbo',
  padded: 'gpt-4.1-nano-2025-04-14',
  messages: 'claude-3-5-haiku-20241022',
  gemini: 'gemini-2.0-flash',
  thinking: 'gpt-5-nano',
};

/** A stream that is sent at once, in one vendor's protocol. */
interface Stream {
  label: string;
  /** Callers of this protocol get its bytes unchanged; for all others it is translated. */
  passes: Protocol;
  /** The model for those others, if a channel of the same vendor would pass the bytes to them too. */
  translated?: string;
}

/** Streams that exist in every protocol; the names are those of the upstream's modes. */
export const streams = {
  once: { label: 'chat, events alike', passes: 'chat', translated: 'gpt-4o-mini-2024-07-18' },
  padded: { label: 'chat as OpenAI pads it', passes: 'chat', translated: 'gpt-4.1-mini-2025-04-14' },
  messages: { label: 'Messages', passes: 'messages' },
  gemini: { label: 'Gemini', passes: 'gemini' },
} satisfies Partial<Record<UpstreamMode, Stream>>;
export type StreamMode = keyof typeof streams;

/** The model that selects the upstream's mode for callers of a protocol. */
export function modelFor(mode: UpstreamMode, protocol: Protocol): string {
  const stream = (streams as Partial<Record<UpstreamMode, Stream>>)[mode];
  return (stream?.passes === protocol ? undefined : stream?.translated) ?? modelOf[mode];
}

/** One of the compared programs. */
export interface Subject {
  readonly name: string;
  /** Port that leads to the upstream's mode. */
  port(mode: UpstreamMode): number;
  /** Sent as the bearer key. */
  readonly key: string;
  /** File of keys of equal length, one per line, that requests use in turn instead. */
  readonly keysFile?: string;
  /** Prefix of each call's path, and of each model's name; none by default. */
  readonly pathPrefix?: string;
  readonly modelPrefix?: string;
  /** Processes whose time and memory count; none for the upstream itself. */
  readonly pids: readonly number[];
}

/** The median; for an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
