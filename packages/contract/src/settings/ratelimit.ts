import * as z from 'zod/mini';
import { settingError } from './setting-error.ts';
import { group, integer, json, toggle } from './define.ts';
import { nameUpTo, wholeBetween } from './shapes.ts';

const most = 2_147_483_647;
/** Group → [requests, successful requests] per period. */
const limitTable: z.ZodMiniType<Readonly<Record<string, readonly [number, number]>>> = z.record(
  nameUpTo(64),
  z.tuple([wholeBetween(0, most), wholeBetween(1, most)]),
);

function checkLimits(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, limit] of Object.entries(value)) {
    const pair = limitTable.safeParse({ [name]: limit as unknown });
    if (!pair.success) throw settingError('rate_limit_group_invalid', { group: name });
  }
}

export const ratelimit = group(
  'groups',
  { zh: '模型请求速率限制', en: 'Model request limits' },
  {
    ModelRequestRateLimitEnabled: toggle({
      default: false,
      label: { zh: '启用用户模型请求速率限制', en: 'Limit model requests' },
      help: {
        zh: '按用户计算；多台服务器须共用 Redis',
        en: 'Counted for each user; several servers need a shared Redis',
      },
    }),
    ModelRequestRateLimitDurationMinutes: integer({
      default: 1,
      min: 0,
      max: 525_600,
      label: { zh: '限制周期（分钟）', en: 'Period (minutes)' },
      help: { zh: '在此期间内计算请求次数', en: 'Requests are counted over this time' },
    }),
    ModelRequestRateLimitCount: integer({
      default: 0,
      min: 0,
      max: most,
      label: { zh: '用户每周期最多请求次数', en: 'Max requests' },
      help: { zh: '包括失败的请求，0 代表不限制', en: 'Failed ones count; 0 for no limit' },
    }),
    ModelRequestRateLimitSuccessCount: integer({
      default: 1_000,
      min: 1,
      max: most,
      label: { zh: '用户每周期最多请求完成次数', en: 'Max successful requests' },
      help: { zh: '只包括请求成功的次数', en: 'Only requests that succeeded count' },
    }),
    ModelRequestRateLimitGroup: json({
      schema: limitTable,
      check: checkLimits,
      default: {},
      widget: 'custom:rate-limit-groups',
      label: { zh: '分组速率限制', en: 'Group limits' },
      help: {
        zh: 'JSON，{"分组": [最多请求次数, 最多请求完成次数]}，优先于全局限制',
        en: 'JSON: {"group": [requests, successes]}; replaces the limits above',
      },
    }),
  },
);
