import { Accordion, Text } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ChannelData } from '@tollgate/contract';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { lazy } from '../../../lib/lazy.ts';
import { mayAccess, useCurrentUser } from '../../../lib/session.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { useFilledForm } from '../../../shared/form-drawer/use-filled-form.ts';
import { LazyMount } from '../../../shared/lazy/lazy-mount.tsx';
import { FormSection } from '../../../shared/form-drawer/form-section.tsx';
import { AccountFields } from './account-fields.tsx';
import { AdvancedFields, MappingFields, RoutingFields } from './folded-fields.tsx';
import { costText } from './cost-text.ts';
import { DrawerTest } from './drawer-test.tsx';
import { changesOf, formOf, newChannelForm, rules, toNewChannel, type ChannelForm } from './form.ts';
import { formText } from './form-text.ts';
import { LimitFields } from './limit-fields.tsx';
import { GroupsField, ModelsField } from './model-fields.tsx';
import { useCreateChannel, useUpdateChannel } from '../base/queries.ts';
import { text } from '../base/text.ts';

interface ChannelDrawerProps {
  opened: boolean;
  /** The channel to edit; without one the form creates a channel. */
  channel: ChannelData | undefined;
  onClose: () => void;
}

/** Header of a folded section with a summary in one line. */
const Folded = ({ title, hint }: { title: string; hint: string }) => (
  <Accordion.Control>
    <Text fw={550} fz={13.5}>
      {title}
    </Text>
    <Text size="xs" c="dimmed">
      {hint}
    </Text>
  </Accordion.Control>
);

/** The fields, reset each time the drawer opens. */
function useChannelForm(opened: boolean, channel: ChannelData | undefined) {
  const t = useTranslate();
  const form = useForm<ChannelForm>({
    initialValues: newChannelForm,
    validate: rules(t, channel),
    // Another provider may require the account file that one provider refuses.
    onValuesChange: ({ type }, before) => type !== before.type && form.clearFieldError('key'),
    // An empty field shows no error when it loses focus; required fields are checked on saving.
    validateInputOnBlur: ['key', 'modelMapping', 'statusMapping', 'paramOverride', 'headerOverride'],
  });
  const before = useFilledForm(form, {
    opened,
    row: channel,
    id: (row) => row.id,
    valuesOf: (row) => (row ? formOf(row) : newChannelForm),
  });
  return { form, before };
}

/** Creates or edits a channel: the account first, then its models; all other sections are folded. */
export function ChannelDrawer({ opened, channel, onClose }: ChannelDrawerProps) {
  const t = useTranslate();
  const create = useCreateChannel();
  const update = useUpdateChannel(true);
  const isNew = channel === undefined;
  const { form, before } = useChannelForm(opened, channel);

  const save = async (values: ChannelForm) => {
    if (channel)
      await update.mutateAsync({ id: channel.id, ...changesOf(values, before.current ?? channel) });
    else await create.mutateAsync(toNewChannel(values));
    toast.good(t(channel ? text.saved : text.created));
    onClose();
  };

  return (
    <FormDrawer
      opened={opened}
      width={620}
      title={t(isNew ? formText.createTitle : formText.editTitle)}
      action={t(isNew ? formText.create : formText.save)}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <FormSection title={t(formText.account)}>
        <AccountFields form={form} channel={channel} />
        {channel?.channel_info && (
          <LazyMount when={opened}>
            <KeyList channel={channel} />
          </LazyMount>
        )}
      </FormSection>
      <FormSection title={t(formText.models)}>
        <ModelsField form={form} channel={channel} />
        <DrawerTest form={form} channel={channel} />
        <GroupsField form={form} />
      </FormSection>
      <FoldedParts form={form} channel={channel} />
    </FormDrawer>
  );
}

const KeyList = lazy(async () => ({ default: (await import('./key-list.tsx')).KeyList }));
const RequestPreview = lazy(async () => ({
  default: (await import('./request-preview.tsx')).RequestPreview,
}));
const CostPart = lazy(async () => ({ default: (await import('./cost-part.tsx')).CostPart }));

interface FoldedPartsProps {
  form: UseFormReturnType<ChannelForm>;
  channel: ChannelData | undefined;
}

/** Settings that most channels keep at their defaults. */
function FoldedParts({ form, channel }: FoldedPartsProps) {
  const t = useTranslate();
  const [open, setOpen] = useState<string[]>([]);
  const isRoot = mayAccess(useCurrentUser(), 'root');
  return (
    <Accordion
      variant="separated"
      multiple
      chevronPosition="left"
      value={open}
      onChange={setOpen}
      styles={{ item: { background: 'var(--tg-sunken)', borderColor: 'var(--tg-border)' } }}
    >
      <Accordion.Item value="routing">
        <Folded title={t(formText.routing)} hint={t(formText.routingHint)} />
        <Accordion.Panel>
          <RoutingFields form={form} />
        </Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="limits">
        <Folded title={t(formText.limits)} hint={t(formText.limitsHint)} />
        <Accordion.Panel>
          <LimitFields form={form} />
        </Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="mapping">
        <Folded title={t(formText.mapping)} hint={t(formText.mappingHint)} />
        <Accordion.Panel>
          <MappingFields form={form} />
          <LazyMount when={open.includes('mapping')}>
            <RequestPreview form={form} channel={channel} />
          </LazyMount>
        </Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="advanced">
        <Folded title={t(formText.advanced)} hint={t(formText.advancedHint)} />
        <Accordion.Panel>
          <AdvancedFields form={form} />
        </Accordion.Panel>
      </Accordion.Item>
      {channel && isRoot && (
        <Accordion.Item value="cost">
          <Folded title={t(costText.title)} hint={t(costText.partHint)} />
          <Accordion.Panel>
            <LazyMount when={open.includes('cost')}>
              <CostPart id={channel.id} />
            </LazyMount>
          </Accordion.Panel>
        </Accordion.Item>
      )}
    </Accordion>
  );
}
