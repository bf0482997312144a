import { NumberInput, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { SignInProviderData } from '@tollgate/contract';
import { useStatus } from '../../../lib/api/status.ts';
import { useSay } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { FormDrawer } from '../../../shared/form-drawer/form-drawer.tsx';
import { useFilledForm } from '../../../shared/form-drawer/use-filled-form.ts';
import { FormSection } from '../../../shared/form-drawer/form-section.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import { SiteMark } from '../../../ui/site-mark.tsx';
import {
  formOf,
  inputOf,
  newProvider,
  type ProviderForm,
  providerRules,
  redirectOf,
  slugOf,
} from './provider-form.ts';
import { ProviderTest } from './provider-test.tsx';
import { useCreateProvider, useUpdateProvider } from './queries.ts';
import { providerText as text } from './text.ts';

interface ProviderDrawerProps {
  opened: boolean;
  /** The provider to edit; without one a new one is made. */
  provider: SignInProviderData | undefined;
  /** How many there are. */
  count: number;
  onClose: () => void;
}

/** The form's state and what saving it does. */
function useProviderForm({ opened, provider, count, onClose }: ProviderDrawerProps) {
  const say = useSay();
  const create = useCreateProvider();
  const update = useUpdateProvider(true);
  const form = useForm<ProviderForm>({
    initialValues: newProvider(count),
    validate: providerRules(say, provider === undefined),
    validateInputOnBlur: true,
  });
  useFilledForm(form, {
    opened,
    row: provider,
    id: (row) => row.slug,
    valuesOf: (row) => (row ? formOf(row) : newProvider(count)),
  });
  const save = async (values: ProviderForm) => {
    await (provider ? update.mutateAsync(inputOf(values)) : create.mutateAsync(inputOf(values)));
    toast.good(say(text.saved));
    onClose();
  };
  return { form, save };
}

/** Adds a provider or edits one. */
export function ProviderDrawer(props: ProviderDrawerProps) {
  const { opened, provider, onClose } = props;
  const say = useSay();
  const { form, save } = useProviderForm(props);
  return (
    <FormDrawer
      opened={opened}
      title={provider ? say(text.editTitle, { name: provider.name }) : say(text.addTitle)}
      action={say(text.save)}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <ButtonFields form={form} isNew={provider === undefined} />
      <ClientFields form={form} isNew={provider === undefined} />
      <ProviderTest key={provider?.slug} values={form.values} slug={provider?.slug ?? ''} />
      <Switch label={say(text.enabled)} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormDrawer>
  );
}

interface FieldsProps {
  form: ReturnType<typeof useProviderForm>['form'];
  isNew: boolean;
}

/** How its button looks and where its page leads back to. */
function ButtonFields({ form, isNew }: FieldsProps) {
  const say = useSay();
  const name = form.getInputProps('name');
  const { slug, logo } = form.values;
  return (
    <FormSection title={say(text.button)}>
      <TextInput
        label={say(text.name)}
        description={say(text.nameHint)}
        data-autofocus
        maxLength={40}
        {...name}
        onChange={(event) => {
          const isFollowed = isNew && slug === slugOf(form.values.name);
          form.setFieldValue('name', event.currentTarget.value);
          if (isFollowed) form.setFieldValue('slug', slugOf(event.currentTarget.value));
        }}
      />
      <TextInput
        label={say(text.slug)}
        description={say(text.slugHint)}
        disabled={!isNew}
        maxLength={32}
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('slug')}
      />
      <TextInput
        label={say(text.logo)}
        description={say(text.logoHint)}
        spellCheck={false}
        leftSection={<SiteMark id="" logo={logo.trim()} />}
        {...form.getInputProps('logo')}
      />
      <NumberInput
        label={say(text.position)}
        description={say(text.positionHint)}
        min={0}
        max={1_000_000}
        allowDecimal={false}
        {...form.getInputProps('position')}
      />
    </FormSection>
  );
}

/** Who the site is to the provider. */
function ClientFields({ form, isNew }: FieldsProps) {
  const say = useSay();
  const redirect = redirectOf(useStatus()?.server_address ?? '', form.values.slug.trim());
  return (
    <FormSection title={say(text.provider)}>
      <TextInput
        label={say(text.redirect)}
        description={say(text.redirectHint)}
        readOnly
        placeholder={say(text.redirectEmpty)}
        value={redirect}
        rightSection={redirect && <CopyButton value={redirect} what={say(text.redirect)} />}
      />
      <TextInput
        label={say(text.wellKnown)}
        description={say(text.wellKnownHint)}
        type="url"
        spellCheck={false}
        {...form.getInputProps('well_known')}
      />
      <TextInput label={say(text.clientId)} spellCheck={false} {...form.getInputProps('client_id')} />
      <PasswordField
        label={say(text.clientSecret)}
        description={isNew ? undefined : say(text.secretKept)}
        autoComplete="off"
        {...form.getInputProps('client_secret')}
      />
      <TextInput
        label={say(text.scopes)}
        description={say(text.scopesHint)}
        spellCheck={false}
        {...form.getInputProps('scopes')}
      />
    </FormSection>
  );
}
