import { Button } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { channelApi, type ChannelData } from '@tollgate/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Presets } from '../../../shared/form-drawer/presets.tsx';
import { NamesInput } from '../../../shared/names-input.tsx';
import { type ChannelForm, needsKey } from './form.ts';
import { formText } from './form-text.ts';
import { toolServerType } from './key-check.ts';
import { UnpricedModels } from './unpriced-models.tsx';
import { knownModelsQuery, typesQuery } from '../base/queries.ts';
import { groupsQuery } from '../../../shared/group-tag/groups-query.ts';

interface FieldProps {
  form: UseFormReturnType<ChannelForm>;
}

const unique = (names: readonly string[]) => [...new Set(names.map((name) => name.trim()).filter(Boolean))];

/** The models of a channel: typed, from the provider's list, or fetched from upstream. */
export function ModelsField({ form, channel }: FieldProps & { channel: ChannelData | undefined }) {
  const t = useTranslate();
  const { data: known = {} } = useQuery(knownModelsQuery);
  const { data: types = [] } = useQuery(typesQuery);
  const { type, models } = form.values;
  const isOf = types.find((each) => String(each.type) === type);
  const related = known[type] ?? isOf?.models ?? [];
  const all = unique(Object.values(known).flat());
  const set = (names: readonly string[]) => form.setFieldValue('models', unique(names));
  const fetchModels = useFetchModels(form, channel);
  const preset = { variant: 'default', size: 'compact-xs' } as const;

  return (
    <div>
      <NamesInput
        exists={t(formText.modelsExist)}
        label={t(formText.modelList)}
        description={t(isOf && related.length === 0 ? formText.noModelsKnown : formText.modelsHint)}
        withAsterisk
        data={all}
        limit={100}
        clearable={false}
        styles={{ input: { maxHeight: 220, overflowY: 'auto' } }}
        {...form.getInputProps('models')}
      />
      <Presets>
        {related.length > 0 && (
          <Button {...preset} onClick={() => set([...models, ...related])}>
            {t(formText.fillRelated)}
          </Button>
        )}
        {type !== toolServerType && (
          <Button {...preset} onClick={() => set([...models, ...all])}>
            {t(formText.fillAll)}
          </Button>
        )}
        {isOf?.can_fetch_models !== false && (
          <Button {...preset} loading={fetchModels.isPending} onClick={() => fetchModels.run()}>
            {t(formText.fetch)}
          </Button>
        )}
        <Button {...preset} onClick={() => set([])}>
          {t(formText.clear)}
        </Button>
        <CopyButton value={models.join(',')} what={t(formText.copyList)} />
      </Presets>
      <UnpricedModels form={form.values} />
    </div>
  );
}

/** Fetches the list from the provider with the stored key, or with the one just typed. */
function useFetchModels(form: UseFormReturnType<ChannelForm>, channel: ChannelData | undefined) {
  const t = useTranslate();
  const { key, type, baseUrl } = form.values;
  const fetchModels = useMutation({
    mutationFn: () =>
      channel && key.trim() === ''
        ? call(channelApi.fetchModels, { id: channel.id })
        : call(channelApi.fetchModelsWith, { base_url: baseUrl.trim(), type, key: key.trim() }),
    onSuccess: (names) => {
      form.setFieldValue('models', unique([...form.values.models, ...names]));
      toast.good(t(formText.fetched, { count: names.length }));
    },
  });
  const run = () => {
    if (key.trim() === '' && needsKey(type, channel)) form.setFieldError('key', t(formText.keyFirst));
    else fetchModels.mutate();
  };
  return { run, isPending: fetchModels.isPending };
}

export function GroupsField({ form }: FieldProps) {
  const t = useTranslate();
  const { data: groups = [] } = useQuery(groupsQuery);
  return (
    <NamesInput
      exists={t(formText.groupsExist)}
      label={t(formText.groups)}
      description={t(formText.groupsHint)}
      withAsterisk
      data={groups}
      {...form.getInputProps('groups')}
    />
  );
}
