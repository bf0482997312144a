import { entryOf } from './entry.ts';
import { announcedRatios, vendorRatios } from './vendors/index.ts';

/**
 * Default input prices (docs/compatibility.md#default-prices): 1 is $2 per million tokens. Grouped by ratio, because
 * families share one.
 * The two llama-3 sonar-large entries stand at 0.5, mended from a slip that made them free
 * (docs/compatibility.md#deliberate-differences). whisper-1 stands at its vendor's $0.006 a minute, which is 1,000 tokens.
 */
const byRatio: readonly (readonly [ratio: number, models: string])[] = [
  [0, 'glm-4-flash'],
  [0.001, 'text-embedding-004'],
  [0.01, 'text-embedding-3-small'],
  [0.05, 'gemini-2.0-flash text-embedding-ada-002 text-embedding-v1'],
  [0.065, 'text-embedding-3-large'],
  [0.068493, 'ERNIE-Tiny-8K glm-4-air glm-4-long yi-spark'],
  [0.0715, 'embedding-bert-512-v1 embedding_s1_v1 semantic_similarity_s1_v1'],
  [
    0.075,
    `command-r-08-2024 gemini-1.5-flash-latest gemini-2.5-flash-preview-04-17
     gemini-2.5-flash-preview-04-17-nothinking gemini-2.5-flash-preview-04-17-thinking
     gpt-4o-mini gpt-4o-mini-2024-07-18`,
  ],
  [
    0.1,
    `llama-3-sonar-small-32k-chat llama-3-sonar-small-32k-online text-moderation-latest
     text-moderation-stable`,
  ],
  [0.125, 'claude-3-haiku-20240307'],
  [0.135, 'deepseek-coder'],
  // Their vendor's last price, 0.28 and 0.42 dollars (api-docs.deepseek.com/updates, as LiteLLM 1.110.2 lists it).
  [0.14, 'deepseek-chat deepseek-reasoner'],
  [0.136986, 'Embedding-V1 bge-large-en bge-large-zh tao-8k'],
  [0.1429, 'chatglm_lite'],
  [0.15, 'grok-3-mini-beta'],
  [0.171233, 'yi-medium'],
  [0.18, 'yi-34b-chat-0205'],
  [0.2, 'babbage-002 text-ada-001'],
  [0.205479, 'ERNIE-Lite-8K-0308'],
  [0.25, 'command-r gpt-3.5-turbo gpt-3.5-turbo-0125 text-babbage-001'],
  [0.273973, 'BLOOMZ-7B ERNIE-Speed-128K ERNIE-Speed-8K'],
  [
    0.3,
    `gpt-4o-mini-realtime-preview gpt-4o-mini-realtime-preview-2024-12-17 gpt-4o-mini-tts
     grok-3-mini-fast-beta`,
  ],
  [0.3572, 'chatglm_std chatglm_turbo glm-3-turbo'],
  // Claude 3.5 Haiku costs 0.80 and 4 dollars since December 2024 (so Amazon lists it, LiteLLM 1.110.2).
  [0.4, 'claude-3-5-haiku-20241022 claude-instant-1'],
  [0.410959, 'yi-vision'],
  [0.432, 'yi-vl-plus'],
  [
    0.5,
    `command command-light command-light-nightly command-nightly
     gpt-3.5-turbo-1106 llama-3-sonar-large-32k-chat llama-3-sonar-large-32k-online`,
  ],
  [0.547945, 'ERNIE-Lite-8K-0922'],
  [
    0.55,
    `o1-mini o1-mini-2024-09-12 o3-mini o3-mini-2025-01-31 o3-mini-2025-01-31-high
     o3-mini-2025-01-31-low o3-mini-2025-01-31-medium o3-mini-high o3-mini-low o3-mini-medium`,
  ],
  [0.625, 'gemini-2.5-pro-exp-03-25 gemini-2.5-pro-preview-03-25'],
  [0.684932, 'glm-4-airx glm-4v-plus'],
  [0.7143, 'chatglm_pro'],
  [0.75, 'gpt-3.5-turbo-0613 gpt-3.5-turbo-instruct'],
  [0.821918, 'ERNIE-3.5-4K-0205 ERNIE-3.5-8K ERNIE-3.5-8K-1222 yi-large-turbo yi-medium-200k'],
  [0.8572, '360GPT_S2_V9 360gpt-turbo-responsibility-8k'],
  [0.864, 'yi-34b-chat-200k'],
  [1, 'PaLM-2 davinci-002 grok-2 grok-2-vision text-curie-001'],
  [
    1.25,
    `command-r-plus-08-2024 gemini-1.5-pro-latest gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20
     gpt-4o-audio-preview gpt-4o-audio-preview-2024-10-01`,
  ],
  [1.2858, 'SparkDesk-v1.1 SparkDesk-v2.1 SparkDesk-v3.1 SparkDesk-v3.5 SparkDesk-v4.0'],
  [1.36986, 'yi-large yi-large-preview'],
  [
    1.5,
    `claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219
     claude-3-7-sonnet-20250219-thinking claude-3-sonnet-20240229 claude-sonnet-4-20250514
     command-r-plus gpt-3.5-turbo-16k gpt-3.5-turbo-16k-0613 grok-3-beta`,
  ],
  [1.64384, 'ERNIE-3.5-8K-0205 ERNIE-Bot-8K'],
  [1.71233, 'yi-large-rag yi-large-rag-preview'],
  [
    2.5,
    `chatgpt-4o-latest gpt-4o-2024-05-13 gpt-4o-gizmo-* gpt-4o-realtime-preview
     gpt-4o-realtime-preview-2024-10-01 gpt-4o-realtime-preview-2024-12-17 gpt-image-1
     grok-3-fast-beta grok-beta grok-vision-beta`,
  ],
  [3, 'whisper-1'],
  [3.42466, 'glm-4-plus glm-4v'],
  [4, 'claude-2.0 claude-2.1'],
  [
    5,
    `gpt-4-0125-preview gpt-4-1106-preview gpt-4-1106-vision-preview gpt-4-turbo
     gpt-4-turbo-2024-04-09 gpt-4-turbo-preview gpt-4-vision-preview`,
  ],
  [6.84931, 'glm-4-0520 glm-4-alltools'],
  [7.143, 'glm-4 hunyuan'],
  [
    7.5,
    `claude-3-opus-20240229 claude-opus-4-20250514 o1 o1-2024-12-17 o1-preview
     o1-preview-2024-09-12 tts-1 tts-1-1106`,
  ],
  [8.21918, 'ERNIE-4.0-8K'],
  [
    10,
    `ada babbage code-davinci-edit-001 curie davinci text-davinci-edit-001
     text-search-ada-doc-001`,
  ],
  [15, 'gpt-4 gpt-4-0613 gpt-4-all gpt-4-gizmo-* gpt-4o-all tts-1-hd tts-1-hd-1106'],
  [30, 'gpt-4-32k gpt-4-32k-0613'],
  [37.5, 'gpt-4.5-preview gpt-4.5-preview-2025-02-27'],
];

/**
 * Models that came after that table, at the prices their vendors publish (docs/compatibility.md#default-prices, and the
 * thinking forms of the built-in lists): without them a new site would refuse every current model.
 */
const newerByRatio: readonly (readonly [ratio: number, models: string])[] = [
  [0.025, 'gpt-5-nano gpt-5-nano-2025-08-07'],
  [0.05, 'gpt-4.1-nano gpt-4.1-nano-2025-04-14 gemini-2.5-flash-lite-preview-06-17'],
  [
    0.075,
    `gemini-2.5-flash-preview-05-20 gemini-2.5-flash-preview-05-20-thinking
     gemini-2.5-flash-preview-05-20-nothinking gemini-embedding-001`,
  ],
  [0.125, 'gpt-5-mini gpt-5-mini-2025-08-07'],
  [0.15, 'gemini-2.5-flash gemini-robotics-er-1.5-preview'],
  [0.2, 'gpt-4.1-mini gpt-4.1-mini-2025-04-14'],
  [0.5, 'claude-haiku-4-5-20251001 openai/gpt-oss-120b'],
  [0.55, 'o4-mini o4-mini-2025-04-16'],
  [0.625, 'gpt-5 gpt-5-2025-08-07 gpt-5-chat-latest gemini-2.5-pro'],
  [1, 'gpt-4.1 gpt-4.1-2025-04-14 o3 o3-2025-04-16 o4-mini-deep-research'],
  [1.5, 'claude-sonnet-4-5-20250929 claude-sonnet-4-20250514-thinking'],
  [2.5, 'claude-opus-4-5-20251101 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8'],
  [5, 'o3-deep-research'],
  [7.5, 'claude-opus-4-1 claude-opus-4-1-20250805 claude-opus-4-20250514-thinking'],
  [10, 'o3-pro'],
  [75, 'o1-pro'],
];

/** Models of the built-in sandbox: play money at a round price, so that first receipts show real sums. */
const sandboxByRatio: readonly (readonly [ratio: number, models: string])[] = [
  [
    1,
    `sandbox sandbox-fast sandbox-slow sandbox-fail-429 sandbox-fail-500 sandbox-cut sandbox-stall sandbox-no-usage sandbox-think sandbox-embedding sandbox-moderation sandbox-rerank sandbox-speech sandbox-transcription`,
  ],
];

const spread = (table: readonly (readonly [number, string])[]): Record<string, number> =>
  Object.fromEntries(table.flatMap(([ratio, models]) => models.split(/\s+/).map((model) => [model, ratio])));

/** Default of the option ModelRatio. */
export const defaultModelRatio: Readonly<Record<string, number>> = {
  ...vendorRatios.model,
  ...spread(byRatio),
  ...spread(newerByRatio),
  ...spread(sandboxByRatio),
};

/** The default with all that was announced for this day and those before it, and from when it holds, Unix ms. */
const steps = announcedRatios.map(({ day }, index) => ({
  from: Date.parse(`${day}T00:00:00Z`),
  table: Object.assign(
    { ...defaultModelRatio },
    ...announcedRatios.slice(0, index + 1).map(({ model }) => model),
  ) as typeof defaultModelRatio,
}));

/** Default of the option ModelRatio at a moment, Unix ms: the same object from one announced change to the next. */
export const modelRatioAt = (time: number): Readonly<Record<string, number>> =>
  steps.findLast(({ from }) => from <= time)?.table ?? defaultModelRatio;

/** What a vendor has announced of a model's price. */
export interface AnnouncedRatio {
  model: string;
  /** The day from whose start in UTC it holds, YYYY-MM-DD. */
  day: string;
  /** Of its input; all other ratios stay. */
  ratio: number;
}

/**
 * What vendors announced of the models of a table, the next of each: what is to come, and of what has come that which the table
 * does not have yet. A table of one's own keeps its prices until somebody changes them.
 */
export function announcedFor(table: Readonly<Record<string, number>>, time: number): AnnouncedRatio[] {
  const found = new Map<string, AnnouncedRatio>();
  for (const [index, { day, model: ratios }] of announcedRatios.entries()) {
    const before = index === 0 ? defaultModelRatio : steps[index - 1]!.table;
    for (const [model, ratio] of Object.entries(ratios)) {
      const own = entryOf(table, model);
      if (own === undefined || found.has(model)) continue;
      if (steps[index]!.from > time ? own !== ratio : own === before[model])
        found.set(model, { model, day, ratio });
    }
  }
  return [...found.values()];
}
