import type { TeamTokenData } from '@tollgate/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { UseDrawer } from '../../../shared/keys/use-drawer.tsx';
import { teamQuery } from '../base/queries.ts';
import { keyModelsQuery, keyQuery } from './queries.ts';

interface TeamUseDrawerProps {
  teamId: number;
  /** 0 for none. */
  tokenId: number;
  /** The key as it was just made, with its whole text; undefined for older ones, which are asked for. */
  made: TeamTokenData | undefined;
  onClose: () => void;
}

/** How to use a key of an organisation. */
export function TeamUseDrawer({ teamId, tokenId, made, onClose }: TeamUseDrawerProps) {
  const client = useQueryClient();
  const asked = useQuery({ ...keyQuery(teamId, tokenId), enabled: tokenId > 0 && made === undefined });
  const { data: models = [] } = useQuery({ ...keyModelsQuery(teamId), enabled: tokenId > 0 });
  return (
    <UseDrawer
      opened={tokenId > 0}
      token={made ? { ...asked, data: made, error: null } : asked}
      isNew={made !== undefined}
      models={models}
      onCharged={() => void client.invalidateQueries({ queryKey: teamQuery(teamId).queryKey })}
      onClose={onClose}
    />
  );
}
