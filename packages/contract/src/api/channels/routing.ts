import { z } from 'zod';
import { meanings } from '../../meanings.ts';
import { product } from '../../product.ts';
import { route } from '../../route.ts';
import { routingPolicies } from '../../routing-policies.ts';
import { whole } from '../../whole.ts';

const id = whole(0, Number.MAX_SAFE_INTEGER).default(0);
const count = z.number().int();
const policyMeaning = { zh: '选择策略', en: 'Routing policy' };

/** Why a channel gets no call, or only as the last resort. */
const routeReason = z.enum([
  'region',
  'retention',
  'unpriced',
  'too_long',
  'cooldown',
  'tried',
  'at_limit',
  'lower_priority',
  'dearer',
  'other_session',
  'other_model',
  'other_group',
  'disabled',
  'auto_disabled',
  'no_key',
  'not_selected',
]);
export type RouteReason = z.output<typeof routeReason>;

const candidate = z.object({
  channel: count.meta(meanings.channelId),
  name: z.string().meta(meanings.channelName),
  priority: count.meta({ zh: '优先级', en: 'Priority' }),
  weight: count.meta({ zh: '权重', en: 'Weight' }),
  odds: z.number().meta({
    zh: '被选中的概率，0 到 1',
    en: 'Probability of being chosen, from 0 to 1',
    example: 0.5,
  }),
  reason: z.nullable(routeReason).meta({
    zh: '不被选中的原因；概率大于 0 时为不得已而用',
    en: 'Why it is not chosen; with odds above 0, it is a last resort',
  }),
  until: count.meta({
    zh: '冷却结束的 Unix 秒；0 表示没有',
    en: 'Unix seconds of a cooldown’s end; 0 for none',
  }),
});
export type RouteCandidate = z.output<typeof candidate>;

const routeStep = z.object({
  model: z.string().meta(meanings.model),
  policy: z.enum(routingPolicies).meta(policyMeaning),
  serves: z.boolean().meta({ zh: '首次尝试使用该模型', en: 'True for the model of the first attempt' }),
  channels: z
    .array(candidate)
    .meta({ zh: '全部渠道，概率大的在前', en: 'All channels, the likeliest first' }),
});
export type RouteStep = z.output<typeof routeStep>;

const explanation = z.object({
  group: z.string().meta(meanings.group),
  refusal: z.string().meta({
    zh: '调用在选择渠道之前被拒绝的原因；没有时为空',
    en: 'Why the call is refused before the choice; empty if it is not',
    example: '',
  }),
  steps: z
    .array(routeStep)
    .meta({ zh: '所请求的模型，然后是各后备模型', en: 'The asked model, then each fallback' }),
});
export type RouteExplanation = z.output<typeof explanation>;

const explainInput = z.object({
  model: z.string().min(1).max(255).meta(meanings.model),
  group: z.string().max(64).default('').meta({
    zh: '分组；空为令牌的分组',
    en: 'Group; empty for that of the key',
    example: 'default',
  }),
  token: id.meta({ zh: '令牌 ID；0 表示不限', en: 'Id of the key; 0 for none' }),
  input_tokens: id.meta({ zh: '输入 Token 数', en: 'Input tokens' }),
  session_key: z.string().max(4_096).default('').meta({
    zh: '会话：prompt_cache_key 或 user；空为未知',
    en: 'Session: `prompt_cache_key` or `user`; empty if unknown',
    example: '',
  }),
  tried: z
    .array(whole(1, Number.MAX_SAFE_INTEGER))
    .max(100)
    .default([])
    .meta({ zh: '已失败的渠道 ID', en: 'Ids of channels that have failed', example: [] }),
});
export type ExplainInput = z.output<typeof explainInput>;

/** The choice of channels, explained. Additions of Tollgate. */
export const routingApi = {
  /** Nothing is called or charged. */
  explain: route('POST', '/api/routing/explain', {
    summary: {
      zh: `说明此刻调用会选择哪个渠道、概率与原因，也可用请求头 ${product.headers.explain}`,
      en: `Explain which channels a call may get now, with odds and reasons; header ${product.headers.explain} does it on calls`,
    },
    access: 'admin',
    example: { model: 'gpt-4o-mini', group: 'default' },
    input: explainInput,
    fieldNames: { token: { zh: '令牌', en: 'Key' } },
    data: explanation,
    demo: true,
  }),
};
