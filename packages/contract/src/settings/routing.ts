import * as z from 'zod/mini';
import { group, json } from './define.ts';
import { nameUpTo } from './shapes.ts';

/** How a channel is chosen among those of one priority. */
export const routingPolicies = ['random', 'sticky', 'least_busy', 'fastest', 'cheapest'] as const;
export type RoutingPolicy = (typeof routingPolicies)[number];

const policies: z.ZodMiniType<Readonly<Record<string, RoutingPolicy>>> = z.record(
  nameUpTo(255),
  z.enum(routingPolicies),
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
        en: 'How a channel is chosen within a priority, by model, prefix with *, or group:NAME',
      },
    }),
  },
);
