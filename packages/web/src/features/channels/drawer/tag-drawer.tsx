import { NumberInput, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { channelApi, type CallOf } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { JsonField, jsonProblem } from '../../../shared/json-field.tsx';
import { NamesInput } from '../../../shared/names-input.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { formText } from './form-text.ts';
import { useChannelMutation } from '../base/queries.ts';
import { groupsQuery } from '../../../shared/group-tag/groups-query.ts';
import { tagText as text } from '../base/text.ts';

interface TagForm extends Record<string, unknown> {
  name: string;
  models: string[];
  groups: string[];
  modelMapping: string;
  priority: number | string;
  weight: number | string;
}

type TagCall = CallOf<typeof channelApi.editTag>;

/** Only filled fields are sent: all others stay unchanged in each channel. */
function toCall(tag: string, form: TagForm): TagCall {
  const change: TagCall = { tag };
  if (form.name.trim() !== tag) change.new_tag = form.name.trim();
  if (form.models.length > 0) change.models = form.models.join(',');
  if (form.groups.length > 0) change.groups = form.groups.join(',');
  if (form.modelMapping.trim() !== '') change.model_mapping = form.modelMapping.trim();
  if (form.priority !== '') change.priority = Number(form.priority);
  if (form.weight !== '') change.weight = Number(form.weight);
  return change;
}

interface TagDrawerProps {
  /** '' while the drawer is closed. */
  tag: string;
  onClose: () => void;
}

/** Changes all channels of a tag at once. */
export function TagDrawer({ tag, onClose }: TagDrawerProps) {
  const t = useTranslate();
  const edit = useChannelMutation((change: TagCall) => call(channelApi.editTag, change), true);
  const form = useForm<TagForm>({
    initialValues: { name: tag, models: [], groups: [], modelMapping: '', priority: '', weight: '' },
    validate: { modelMapping: (value) => jsonProblem(t, value) },
    validateInputOnBlur: true,
  });
  const { setInitialValues, reset } = form;
  useEffect(() => {
    if (tag === '') return;
    setInitialValues({ name: tag, models: [], groups: [], modelMapping: '', priority: '', weight: '' });
    reset();
  }, [tag, setInitialValues, reset]);

  const save = async (values: TagForm) => {
    const change = toCall(tag, values);
    if (Object.keys(change).length === 1) throw new Error(t(text.unchanged));
    await edit.mutateAsync(change);
    toast.good(t(text.saved));
    onClose();
  };

  return (
    <FormDrawer
      opened={tag !== ''}
      title={t(text.title, { tag })}
      action={t(text.save)}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <Notice>{t(text.hint)}</Notice>
      <TextInput label={t(text.newName)} {...form.getInputProps('name')} />
      <ModelFields form={form} />
      <NumberInput
        label={t(formText.priority)}
        min={-999}
        allowDecimal={false}
        {...form.getInputProps('priority')}
      />
      <NumberInput
        label={t(formText.weight)}
        min={0}
        allowDecimal={false}
        {...form.getInputProps('weight')}
      />
    </FormDrawer>
  );
}

/** Models, groups and model mapping of the tag's channels. */
function ModelFields({ form }: { form: UseFormReturnType<TagForm> }) {
  const t = useTranslate();
  const { data: groups = [] } = useQuery(groupsQuery);
  return (
    <>
      <NamesInput
        exists={t(formText.modelsExist)}
        label={t(formText.modelList)}
        clearable
        {...form.getInputProps('models')}
      />
      <NamesInput
        exists={t(formText.groupsExist)}
        label={t(formText.groups)}
        data={groups}
        clearable
        {...form.getInputProps('groups')}
      />
      <JsonField
        label={t(formText.modelMapping)}
        description={t(formText.modelMappingHint)}
        example={{ 'gpt-4o': 'gpt-4o-2024-11-20' }}
        {...form.getInputProps('modelMapping')}
      />
    </>
  );
}
