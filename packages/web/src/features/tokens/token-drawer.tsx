import type { TokenData } from '@tollgate/contract';
import { KeyDrawer } from '../../shared/keys/key-drawer.tsx';
import { GroupField, ModelsField } from './choice-fields.tsx';
import { useCreateTokens, useUpdateToken } from './queries.ts';

interface TokenDrawerProps {
  opened: boolean;
  /** The token to edit; without one a new one is made. */
  token: TokenData | undefined;
  onClose: () => void;
  onCreated: (tokens: TokenData[]) => void;
  onSaved: () => void;
}

/** The form of a person's own token. */
export function TokenDrawer({ onCreated, onSaved, ...drawer }: TokenDrawerProps) {
  const create = useCreateTokens();
  const update = useUpdateToken();
  return (
    <KeyDrawer
      {...drawer}
      group={(form) => <GroupField form={form} />}
      models={(form) => <ModelsField form={form} />}
      create={async (calls) => onCreated(await create.mutateAsync(calls))}
      update={async (id, changes) => {
        await update.mutateAsync({ id, ...changes });
        onSaved();
      }}
    />
  );
}
