import type { TokenData } from '@tollgate/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslate } from '../../lib/i18n.ts';
import { GroupField, ModelsField, useFirstGroup } from '../../shared/keys/choice-fields.tsx';
import { KeyDrawer } from '../../shared/keys/key-drawer.tsx';
import { selfGroupsQuery, selfModelsQuery, selfQuery } from '../../shared/self.ts';
import { useCreateTokens, useUpdateToken, tokenQuery } from './queries.ts';
import { text } from './text.ts';
import { UseDrawer } from '../../shared/keys/use-drawer.tsx';

interface TokenDrawerProps {
  opened: boolean;
  /** The token to edit; without one the form creates one. */
  token: TokenData | undefined;
  onClose: () => void;
  onCreated: (tokens: TokenData[]) => void;
  onSaved: () => void;
}

/** The form of a user's own token. */
export function TokenDrawer({ onCreated, onSaved, ...drawer }: TokenDrawerProps) {
  const t = useTranslate();
  const { data: groups } = useQuery(selfGroupsQuery);
  const { data: models = [] } = useQuery(selfModelsQuery);
  const create = useCreateTokens();
  const update = useUpdateToken();
  return (
    <KeyDrawer
      {...drawer}
      firstGroup={useFirstGroup(groups)}
      group={(form) => <GroupField form={form} groups={groups} own={t(text.ownGroup)} />}
      models={(form) => <ModelsField form={form} models={models} />}
      create={async (calls) => onCreated(await create.mutateAsync(calls))}
      update={async (id, changes) => {
        await update.mutateAsync({ id, ...changes });
        onSaved();
      }}
    />
  );
}

interface OwnUseDrawerProps {
  /** 0 for none. */
  tokenId: number;
  /** The token was just created. */
  isNew: boolean;
  onClose: () => void;
}

/** Usage help for a user's own token. */
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
