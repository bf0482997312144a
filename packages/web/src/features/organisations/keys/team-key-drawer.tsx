import { TagsInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { TeamTokenData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useSay } from '../../../lib/i18n.ts';
import { KeyDrawer } from '../../../shared/keys/key-drawer.tsx';
import type { TokenForm } from '../../../shared/keys/key-form.ts';
import { selfModelsQuery } from '../../../shared/self/queries.ts';
import { useCreateKeys, useUpdateKey } from './queries.ts';
import { keysText as text } from './text.ts';

interface TeamKeyDrawerProps {
  opened: boolean;
  teamId: number;
  /** The key to edit; without one a new one is made. */
  token: TeamTokenData | undefined;
  onClose: () => void;
  onCreated: (made: readonly TeamTokenData[]) => void;
  onSaved: () => void;
}

/** The form of a key that an organisation pays for. Its group is the organisation's. */
export function TeamKeyDrawer({ teamId, onCreated, onSaved, ...drawer }: TeamKeyDrawerProps) {
  const create = useCreateKeys(teamId);
  const update = useUpdateKey(teamId);
  return (
    <KeyDrawer
      {...drawer}
      models={(form) => <TeamModels form={form} />}
      create={async (calls) => onCreated(await create.mutateAsync(calls))}
      update={async (token, changes) => {
        await update.mutateAsync({ token, changes });
        onSaved();
      }}
    />
  );
}

/** Those of the person are suggested; what the organisation has beyond them can be typed. */
function TeamModels({ form }: { form: UseFormReturnType<TokenForm> }) {
  const say = useSay();
  const { data: models = [] } = useQuery(selfModelsQuery);
  return (
    <TagsInput
      label={say(text.modelLimits)}
      description={say(text.modelLimitsHint)}
      data={models}
      clearable
      limit={200}
      {...form.getInputProps('models')}
    />
  );
}
