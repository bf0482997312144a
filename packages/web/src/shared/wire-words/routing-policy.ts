import type { RoutingPolicy } from '@tollgate/contract';
import { type Text, texts } from '../../lib/i18n.ts';

export const policyWords: Record<RoutingPolicy, Text> = texts({
  random: { zh: '随机（按权重）', en: 'Random, by weight' },
  sticky: { zh: '会话固定渠道', en: 'One channel per session' },
  least_busy: { zh: '最空闲', en: 'Least busy' },
  fastest: { zh: '首字最快', en: 'Fastest first byte' },
  cheapest: { zh: '成本最低', en: 'Lowest cost price' },
});
