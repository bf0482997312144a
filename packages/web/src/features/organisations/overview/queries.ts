import { teamApi } from '@tollgate/contract';
import { call } from '../../../lib/api/api-client.ts';
import { useTeamMutation } from '../base/queries.ts';

export type Direction = 'fund' | 'withdraw';

/** Moves quota units between a person's own wallet and an organisation's; errors are shown in the dialog. */
export const useMove = (id: number, direction: Direction) =>
  useTeamMutation((quota: number) => call(teamApi[direction], { id, quota }), { quiet: true });

/** Redeems a code for an organisation; returns the gained quota. */
export const useTeamRedeem = (id: number) =>
  useTeamMutation((key: string) => call(teamApi.redeem, { id, key }), { quiet: true });
