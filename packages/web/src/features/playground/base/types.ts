import type { ChatUsage } from '../../../lib/api/chat-stream.ts';

/** State of an answer. A finished answer is never changed again. */
type Status = 'loading' | 'incomplete' | 'complete' | 'error';

interface Base {
  /** Starts at 4; the greeting has the lower numbers. */
  id: number;
  /** Unix ms. */
  createAt: number;
}

/** The user's message. */
export interface Question extends Base {
  role: 'user';
  content: string;
  /** Data URLs. */
  images: readonly string[];
  /** Number of images that were too large to be stored across visits. */
  lostImages: number;
}

/** The failure of an answer. */
export interface Problem {
  /** The gateway's message. */
  message: string;
  /** Its stable name, if it has one. */
  code: string | null;
  /** HTTP status; 0 without an answer, 200 if the stream itself contained the error. */
  status: number;
}

/** The model's answer with its measurements. */
export interface Answer extends Base {
  role: 'assistant';
  content: string;
  reasoning: string;
  status: Status;
  /** The user stopped it. */
  stopped: boolean;
  model: string;
  group: string;
  requestId: string | null;
  usage: ChatUsage | null;
  /** Milliseconds from the request. */
  firstTokenMs: number | null;
  /** Until the first word after the reasoning; null without reasoning. */
  thoughtMs: number | null;
  totalMs: number | null;
  /** The model's finish reason. */
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
  /** Null for the console's default. */
  system: string | null;
}
