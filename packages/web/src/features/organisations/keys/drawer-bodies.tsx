import type { TeamTokenData } from '@tollgate/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslate } from '../../../lib/i18n.ts';
import { GroupField, ModelsField, useFirstGroup } from '../../../shared/keys/choice-fields.tsx';
import { KeyDrawer } from '../../../shared/keys/key-drawer.tsx';
import { keyGroupsQuery, keyModelsQuery, useCreateKeys, useUpdateKey, keyQuery } from './queries.ts';
import { keysText as text } from './text.ts';
import { UseDrawer } from '../../../shared/keys/use-drawer.tsx';
import { teamQuery } from '../base/queries.ts';

interface TeamKeyDrawerProps {
  opened: boolean;
  teamId: number;
  /** The key to edit; without one a new one is made. */
  token: TeamTokenData | undefined;
  onClose: () => void;
  onCreated: (made: readonly TeamTokenData[]) => void;
  onSaved: () => void;
}

/** The form of a key that an organisation pays for; the organisation's group limits its options. */
export function TeamKeyDrawer({ teamId, onCreated, onSaved, ...drawer }: TeamKeyDrawerProps) {
  const t = useTranslate();
  const { data: groups } = useQuery(keyGroupsQuery(teamId));
  const { data: models = [] } = useQuery(keyModelsQuery(teamId));
  const create = useCreateKeys(teamId);
  const update = useUpdateKey(teamId);
  return (
    <KeyDrawer
      {...drawer}
      owner={drawer.token?.username}
      words={text}
      firstGroup={useFirstGroup(groups)}
      group={(form) => <GroupField form={form} groups={groups} own={t(text.ownGroup)} />}
      models={(form) => <ModelsField form={form} models={models} />}
      create={async (calls) => onCreated(await create.mutateAsync(calls))}
      update={async (token, changes) => {
        await update.mutateAsync({ token, changes });
        onSaved();
      }}
    />
  );
}

interface TeamUseDrawerProps {
  teamId: number;
  /** 0 for none. */
  tokenId: number;
  /** The newly created key with its full text; undefined for older ones, which are fetched. */
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
