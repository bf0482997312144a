import { AppError, type TokenChange, type TokenInput } from '@tollgate/contract';
import type { tokens } from '../../../store/index.ts';
import { tidyAllowList } from './allow-list.ts';

/** Maximum length of a token's name in bytes (docs/compatibility.md#envelope-and-routes). */
const maxNameBytes = 30;

/** Throws `token_name_too_long`. */
export function checkName(name: string): void {
  if (Buffer.byteLength(name) > maxNameBytes) throw new AppError('token_name_too_long');
}

const tidyNames = (list: string): string =>
  [
    ...new Set(
      list
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
  ].join(',');

/** Columns for the present fields of a form. Throws for invalid addresses. */
export function columnsOf(fields: Partial<TokenInput> | TokenChange): tokens.TokenChange {
  const {
    name,
    expired_time,
    unlimited_quota,
    model_limits_enabled,
    model_limits,
    allow_ips,
    group,
    cross_group_retry,
    regions,
    no_retention,
  } = fields;
  return {
    ...(name !== undefined && { name }),
    ...(expired_time !== undefined && { expired_time }),
    ...(unlimited_quota !== undefined && { unlimited_quota: Number(unlimited_quota) }),
    ...(model_limits_enabled !== undefined && { model_limits_enabled: Number(model_limits_enabled) }),
    ...(model_limits !== undefined && { model_limits: tidyNames(model_limits) }),
    ...(allow_ips !== undefined && { allow_ips: tidyAllowList(allow_ips) }),
    ...(group !== undefined && { group }),
    ...(cross_group_retry !== undefined && { cross_group_retry: Number(cross_group_retry) }),
    ...(regions !== undefined && { regions }),
    ...(no_retention !== undefined && { no_retention: Number(no_retention) }),
  };
}
