import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { SignInProviderData } from '@tollgate/contract';
import { useStatus } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
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
  /** The provider to edit; without one the form creates one. */
  provider: SignInProviderData | undefined;
  /** Number of existing providers. */
  count: number;
  onClose: () => void;
}

/** The form's state and submission. */
function useProviderForm({ opened, provider, count, onClose }: ProviderDrawerProps) {
  const t = useTranslate();
  const create = useCreateProvider();
  const update = useUpdateProvider(true);
  const form = useForm<ProviderForm>({
    initialValues: newProvider(count),
    validate: providerRules(t, provider === undefined),
    validateInputOnBlur: true,
  });
  useFilledForm(form, {
    opened,
    row: provider,
    id: (row) => row.slug,
    valuesOf: (row) => (row ? formOf(row) : newProvider(count)),
  });
  const save = async (values: ProviderForm) => {
    const { kind, ...input } = inputOf(values);
    await (provider ? update.mutateAsync(input) : create.mutateAsync({ ...input, kind }));
    toast.good(t(text.saved));
    onClose();
  };
  return { form, save };
}

/** Adds a provider or edits one. */
export function ProviderDrawer(props: ProviderDrawerProps) {
  const { opened, provider, onClose } = props;
  const t = useTranslate();
  const { form, save } = useProviderForm(props);
  return (
    <FormDrawer
      opened={opened}
      title={provider ? t(text.editTitle, { name: provider.name }) : t(text.addTitle)}
      action={t(text.save)}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <ButtonFields form={form} isNew={provider === undefined} />
      <ClientFields form={form} isNew={provider === undefined} />
      <ProviderTest key={provider?.slug} values={form.values} slug={provider?.slug ?? ''} />
      <Switch label={t(text.enabled)} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormDrawer>
  );
}

interface FieldsProps {
  form: ReturnType<typeof useProviderForm>['form'];
  isNew: boolean;
}

/** The button's name and icon, and the redirect address. */
function ButtonFields({ form, isNew }: FieldsProps) {
  const t = useTranslate();
  const name = form.getInputProps('name');
  const { slug, logo } = form.values;
  return (
    <FormSection title={t(text.button)}>
      <TextInput
        label={t(text.name)}
        description={t(text.nameHint)}
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
        label={t(text.slug)}
        description={t(text.slugHint)}
        disabled={!isNew}
        maxLength={32}
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('slug')}
      />
      <TextInput
        label={t(text.logo)}
        description={t(text.logoHint)}
        spellCheck={false}
        leftSection={<SiteMark id="" logo={logo.trim()} />}
        {...form.getInputProps('logo')}
      />
      <NumberInput
        label={t(text.position)}
        description={t(text.positionHint)}
        min={0}
        max={1_000_000}
        allowDecimal={false}
        {...form.getInputProps('position')}
      />
    </FormSection>
  );
}

/** The site at the provider: its addresses, and its credentials or the names of attributes. */
function ClientFields({ form, isNew }: FieldsProps) {
  const t = useTranslate();
  const isSaml = form.values.kind === 'saml';
  const redirect = redirectOf(useStatus()?.server_address ?? '', form.values);
  const redirectLabel = t(isSaml ? text.samlAddress : text.redirect);
  return (
    <FormSection title={t(text.provider)}>
      <Select
        label={t(text.kind)}
        data={[
          { value: 'oidc', label: 'OpenID Connect' },
          { value: 'saml', label: 'SAML 2.0' },
        ]}
        disabled={!isNew}
        allowDeselect={false}
        {...form.getInputProps('kind')}
      />
      <TextInput
        label={redirectLabel}
        description={t(isSaml ? text.samlAddressHint : text.redirectHint)}
        readOnly
        placeholder={t(text.redirectEmpty)}
        value={redirect}
        rightSection={redirect && <CopyButton value={redirect} what={redirectLabel} />}
      />
      <TextInput
        label={t(isSaml ? text.metadata : text.wellKnown)}
        description={t(isSaml ? text.metadataHint : text.wellKnownHint)}
        type="url"
        spellCheck={false}
        {...form.getInputProps('well_known')}
      />
      {isSaml ? <AttributeFields form={form} /> : <OpenidFields form={form} isNew={isNew} />}
    </FormSection>
  );
}

function OpenidFields({ form, isNew }: FieldsProps) {
  const t = useTranslate();
  return (
    <>
      <TextInput label={t(text.clientId)} spellCheck={false} {...form.getInputProps('client_id')} />
      <PasswordField
        label={t(text.clientSecret)}
        description={isNew ? undefined : t(text.secretKept)}
        autoComplete="off"
        {...form.getInputProps('client_secret')}
      />
      <TextInput
        label={t(text.scopes)}
        description={t(text.scopesHint)}
        spellCheck={false}
        {...form.getInputProps('scopes')}
      />
    </>
  );
}

function AttributeFields({ form }: Pick<FieldsProps, 'form'>) {
  const t = useTranslate();
  const labels = { email: text.email, name: text.person, groups: text.groups };
  return (['email', 'name', 'groups'] as const).map((each) => (
    <TextInput
      key={each}
      label={t(labels[each])}
      description={t(text.attributeHint)}
      maxLength={255}
      spellCheck={false}
      {...form.getInputProps(`attributes.${each}`)}
    />
  ));
}
