import type { ChatUsage } from '../../../lib/api/chat-stream.ts';

/** How far an answer is. A finished one is never changed again. */
type Status = 'loading' | 'incomplete' | 'complete' | 'error';

interface Base {
  /** From 4 on; the greeting has the numbers before. */
  id: number;
  /** Unix ms. */
  createAt: number;
}

/** What the person wrote. */
export interface Question extends Base {
  role: 'user';
  content: string;
  /** Data URLs. */
  images: readonly string[];
  /** Images that were too large to be kept across visits. */
  lostImages: number;
}

/** Why an answer failed. */
export interface Problem {
  /** The gateway's message. */
  message: string;
  /** Its stable name, where it has one. */
  code: string | null;
  /** HTTP status; 0 when nothing answered, 200 when the stream itself carried the error. */
  status: number;
}

/** What the model answered, and how. */
export interface Answer extends Base {
  role: 'assistant';
  content: string;
  reasoning: string;
  status: Status;
  /** The person stopped it. */
  stopped: boolean;
  model: string;
  group: string;
  requestId: string | null;
  usage: ChatUsage | null;
  /** Milliseconds from the request. */
  firstTokenMs: number | null;
  /** Until the first word of the answer after the reasoning; null without reasoning. */
  thoughtMs: number | null;
  totalMs: number | null;
  /** Why the model stopped, in its own word. */
  finish: string | null;
  /** Quota units; null until the receipt is found. */
  cost: number | null;
  problem: Problem | null;
}

/** Messages above this line are shown, but no longer sent. */
export interface Divider extends Base {
  role: 'divider';
}

export type Message = Question | Answer | Divider;

/** The raw request and answer; kept for this visit only. */
export interface Exchange {
  request: unknown;
  /** The stream's events, in order. */
  events: readonly string[];
}

/** The choices of the side panel. */
export interface Settings {
  /** '' for the default. */
  model: string;
  group: string;
  /** 0.1–1; 0 leaves it to the model. */
  temperature: number;
  /** 0 leaves it to the model. */
  maxTokens: number;
  /** Null for the standing one of the console. */
  system: string | null;
}
