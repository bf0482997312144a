/** How a sandbox model behaves; its name chooses. */
export interface Behaviour {
  /** Silence before the head. */
  headDelayMs: number;
  /** Pause before each piece of a stream. */
  pieceDelayMs: number;
  /** Refuses with this status. */
  failStatus?: 429 | 500;
  /** Ends in the middle: breaks off, or falls silent for ever. */
  breaks?: 'cut' | 'stall';
  /** Reports no usage. */
  silentUsage?: boolean;
  /** Thinks aloud before it answers. */
  thinks?: boolean;
}

const usual: Behaviour = { headDelayMs: 20, pieceDelayMs: 10 };

/** Every name of the sandbox and what it does. */
export const sandboxModels: Readonly<Record<string, Behaviour>> = {
  sandbox: usual,
  /** Without any pause, for measurements. */
  'sandbox-fast': { headDelayMs: 0, pieceDelayMs: 0 },
  'sandbox-slow': { headDelayMs: 1_000, pieceDelayMs: 500 },
  'sandbox-fail-429': { ...usual, failStatus: 429 },
  'sandbox-fail-500': { ...usual, failStatus: 500 },
  'sandbox-cut': { ...usual, breaks: 'cut' },
  'sandbox-stall': { ...usual, breaks: 'stall' },
  'sandbox-no-usage': { ...usual, silentUsage: true },
  'sandbox-think': { ...usual, thinks: true },
  'sandbox-embedding': usual,
  'sandbox-moderation': usual,
  'sandbox-image': usual,
  'sandbox-speech': usual,
  'sandbox-transcription': usual,
  'sandbox-rerank': usual,
};

/** The behaviour of a name; a name mapped to the sandbox that it does not know behaves as usual. */
export const behaviourOf = (model: string): Behaviour =>
  Object.hasOwn(sandboxModels, model) ? sandboxModels[model]! : usual;
