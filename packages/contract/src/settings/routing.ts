import * as z from 'zod/mini';
import { routingPolicies, type RoutingPolicy } from '../routing-policies.ts';
import { tagName } from '../tags.ts';
import { group, json } from './define.ts';
import { listUpTo, matching, nameUpTo } from './shapes.ts';

const policies: z.ZodMiniType<Readonly<Record<string, RoutingPolicy>>> = z.record(
  nameUpTo(255),
  z.enum(routingPolicies),
);

/** Model → models that replace it, in order of preference. */
const fallbacks: z.ZodMiniType<Readonly<Record<string, readonly string[]>>> = z.record(
  nameUpTo(255),
  listUpTo(10, nameUpTo(255)),
);

/** Rule → names of tags. */
const requiredTags: z.ZodMiniType<Readonly<Record<string, readonly string[]>>> = z.record(
  matching(/^(?:group:.{1,64}|key:[1-9]\d{0,14}|organisation:[1-9]\d{0,14})$/),
  listUpTo(16, matching(tagName)),
);

export const tagging = group(
  'groups',
  { zh: '调用标签', en: 'Tags of calls' },
  {
    RequiredTags: json({
      schema: requiredTags,
      default: {},
      widget: 'custom:required-tags',
      label: { zh: '必填标签', en: 'Required tags' },
      help: {
        zh: '分组（group:名称）、令牌（key:ID）或组织（organisation:ID）的调用缺少标签时会被拒绝',
        en: 'For group:NAME, key:ID or organisation:ID; calls without them are refused',
      },
    }),
  },
);

export const routing = group(
  'groups',
  { zh: '渠道选择', en: 'Choice of channels' },
  {
    RoutingPolicies: json({
      schema: policies,
      default: {},
      widget: 'custom:routing-policies',
      label: { zh: '选择策略', en: 'Routing policies' },
      help: {
        zh: '同一优先级内如何选择渠道；名称为模型、以 * 结尾的前缀或 group:分组',
        en: 'Choice within a priority, by model, prefix with *, or group:NAME',
      },
    }),
    ModelFallbacks: json({
      schema: fallbacks,
      default: {},
      label: { zh: '后备模型', en: 'Fallback models' },
      help: {
        zh: 'JSON，{"模型": ["后备模型"]}：模型没有可用渠道时依次改用并按其价格计费',
        en: 'JSON: {"model": ["other"]}; tried in order if no channel is left, at their own price',
      },
    }),
  },
);
