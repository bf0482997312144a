import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { maxTeamName, type TeamData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { useFilledForm } from '../../../shared/form-drawer/use-filled-form.ts';
import { useCreateTeam } from './queries.ts';
import { listText } from './text.ts';

interface CreateDrawerProps {
  opened: boolean;
  onCreated: (team: TeamData) => void;
  onClose: () => void;
}

/** Creates an organisation; it needs only a name. */
export function CreateDrawer({ opened, onCreated, onClose }: CreateDrawerProps) {
  const t = useTranslate();
  const create = useCreateTeam();
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (value) => (value.trim() === '' ? t(listText.nameRequired) : null) },
    validateInputOnBlur: true,
  });
  useFilledForm(form, { opened, row: undefined, id: () => '', valuesOf: () => ({ name: '' }) });
  return (
    <FormDrawer
      opened={opened}
      title={t(listText.createTitle)}
      action={t(listText.create)}
      form={form}
      onSubmit={async ({ name }) => onCreated(await create.mutateAsync(name.trim()))}
      onClose={onClose}
      width={440}
    >
      <TextInput
        label={t(listText.name)}
        description={t(listText.createHint)}
        placeholder={t(listText.namePlaceholder)}
        maxLength={maxTeamName}
        withAsterisk
        data-autofocus
        {...form.getInputProps('name')}
      />
    </FormDrawer>
  );
}
