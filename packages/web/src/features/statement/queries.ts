import { statementApi, teamStatementApi } from '@tollgate/contract';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, callFile } from '../../lib/api/api-client.ts';

/** The wallet of a statement: one’s own, or that of an organisation or a user. */
export interface WhichStatement {
  /** 0 for none. */
  team: number;
  user: number;
  /** `2026-11`; '' for the present month. */
  month: string;
}

export const statementQuery = ({ team, user, month }: WhichStatement) =>
  queryOptions({
    queryKey: ['statement', team, user, month],
    queryFn: ({ signal }) => {
      if (team > 0) return call(teamStatementApi.month, { id: team, month }, { signal });
      if (user > 0) return call(statementApi.ofUser, { id: user, month }, { signal });
      return call(statementApi.own, { month }, { signal });
    },
    placeholderData: keepPreviousData,
  });

/** Files of a statement; `jsonl` has the signed receipts. */
export type StatementFile = 'csv' | 'pdf' | 'jsonl';

/** The file of a statement. */
export function readFile({ team, user, month }: WhichStatement, format: StatementFile): Promise<Blob> {
  const asked = { month, format };
  if (team > 0) return callFile(teamStatementApi.month, { id: team, ...asked });
  if (user > 0) return callFile(statementApi.ofUser, { id: user, ...asked });
  return callFile(statementApi.own, asked);
}

/** Turns the monthly mail of a statement on or off. */
export function useMail({ team }: Pick<WhichStatement, 'team'>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (on: boolean) =>
      team > 0 ? call(teamStatementApi.mail, { id: team, on }) : call(statementApi.mail, { on }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['statement'] }),
  });
}
