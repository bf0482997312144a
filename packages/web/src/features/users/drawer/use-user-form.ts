import { useForm } from '@mantine/form';
import { useTranslate, type Text } from '../../../lib/i18n.ts';
import { emptyUserForm, problemsOf, type UserForm } from './form.ts';
import { formText } from './form-text.ts';

/** The fields of a user, with messages for their faults. */
export function useUserForm(isNew: boolean) {
  const t = useTranslate();
  return useForm<UserForm>({
    initialValues: emptyUserForm,
    validate: (values) =>
      Object.fromEntries(
        problemsOf(values, isNew).map(([field, problem]) => [field, t<Text>(formText[problem])]),
      ),
    // An empty field of a new user shows no error when it loses focus.
    validateInputOnBlur: isNew ? ['displayName'] : true,
  });
}
