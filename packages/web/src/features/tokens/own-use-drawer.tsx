import { useQuery, useQueryClient } from '@tanstack/react-query';
import { UseDrawer } from '../../shared/keys/use-drawer.tsx';
import { selfModelsQuery, selfQuery } from '../../shared/self.ts';
import { tokenQuery } from './queries.ts';

interface OwnUseDrawerProps {
  /** 0 for none. */
  tokenId: number;
  /** The token was made a moment ago. */
  isNew: boolean;
  onClose: () => void;
}

/** How to use a person's own token. */
export function OwnUseDrawer({ tokenId, isNew, onClose }: OwnUseDrawerProps) {
  const client = useQueryClient();
  const opened = tokenId > 0;
  const token = useQuery({ ...tokenQuery(tokenId), enabled: opened });
  const { data: models = [] } = useQuery({ ...selfModelsQuery, enabled: opened });
  return (
    <UseDrawer
      opened={opened}
      token={token}
      isNew={isNew}
      models={models}
      onCharged={() => void client.invalidateQueries({ queryKey: selfQuery.queryKey, exact: true })}
      onClose={onClose}
    />
  );
}
