import { texts, type Text } from '../../../lib/i18n.ts';
import type { Ability } from '@tollgate/contract';

export const abilityNames: Readonly<Record<Ability, Text>> = texts({
  vision: { zh: '图片输入', en: 'Vision' },
  tools: { zh: '工具调用', en: 'Tools' },
  reasoning: { zh: '推理', en: 'Reasoning' },
  structured: { zh: '结构化输出', en: 'Structured output' },
  audio_input: { zh: '音频输入', en: 'Audio input' },
  audio_output: { zh: '音频输出', en: 'Audio output' },
  documents: { zh: '文档输入', en: 'Documents' },
  video_input: { zh: '视频输入', en: 'Video input' },
  image_output: { zh: '图片生成', en: 'Images' },
  video_output: { zh: '视频生成', en: 'Videos' },
  search: { zh: '联网搜索', en: 'Web search' },
  caching: { zh: '提示缓存', en: 'Prompt caching' },
  embeddings: { zh: '向量', en: 'Embeddings' },
});

/** The vendors' own names. */
export const vendorNames: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  xai: 'xAI',
  alibaba: 'Alibaba',
  bytedance: 'ByteDance',
  deepseek: 'DeepSeek',
  minimax: 'MiniMax',
  moonshotai: 'Moonshot AI',
  zhipuai: 'Z.ai',
  ai21: 'AI21',
  cohere: 'Cohere',
  mistral: 'Mistral',
  perplexity: 'Perplexity',
  voyage: 'Voyage',
};

export const factsText = texts({
  vendor: { zh: '厂商', en: 'Vendor' },
  anyVendor: { zh: '所有厂商', en: 'All vendors' },
  ability: { zh: '能力', en: 'Capability' },
  anyAbility: { zh: '所有能力', en: 'All capabilities' },
  input: { zh: '最长输入', en: 'Max input' },
  output: { zh: '最长输出', en: 'Max output' },
  abilities: { zh: '已列出的能力', en: 'Listed capabilities' },
  tokens: { zh: '{count} Token', en: { one: '{count} token', other: '{count} tokens' } },
  unknown: { zh: '未知', en: 'Unknown' },
  ends: { zh: '厂商停用日', en: 'Retired by vendor' },
  endsOn: { zh: '{day} 停用', en: 'retires {day}' },
  source: {
    zh: '资料来自 {name}，{date}；未列出的内容视为未知。',
    en: 'Data from {name}, {date}; anything not listed there is unknown.',
  },
});

/** Formats lengths as vendors do: 1M, 128K, 8K, in thousands of 1,000 or 1,024; other lengths are exact. */
export function lengthText(tokens: number): string {
  for (const thousand of [1_000, 1_024]) {
    if (tokens % thousand ** 2 === 0) return `${tokens / thousand ** 2}M`;
    if (tokens % thousand === 0) return `${tokens / thousand}K`;
  }
  return tokens.toLocaleString('en');
}
