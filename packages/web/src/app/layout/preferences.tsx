import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { Check, Languages, Monitor, Moon, Sun } from 'lucide-react';
import { useLanguage, useTranslate, type Language } from '../../lib/i18n.ts';
import { LazyMenu } from '../../shared/lazy/lazy-menu.tsx';
import type { ThemeMode } from '../../lib/storage.ts';
import { chooseLanguage } from '../choose-language.ts';
import { text } from '../text.ts';

const themeIcons = { light: Sun, dark: Moon, auto: Monitor };
const themeLabels = { light: text.light, dark: text.dark, auto: text.system };
const themeModes: readonly ThemeMode[] = ['light', 'dark', 'auto'];

/** Light, dark or the system's scheme. */
function ThemeItems() {
  const t = useTranslate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return themeModes.map((mode) => {
    const Icon = themeIcons[mode];
    return (
      <Menu.Item
        key={mode}
        leftSection={<Icon size={15} />}
        rightSection={colorScheme === mode ? <Check size={14} /> : null}
        onClick={() => setColorScheme(mode)}
      >
        {t(themeLabels[mode])}
      </Menu.Item>
    );
  });
}

/** Each language is named in itself, so that its readers find it. */
const languageNames: Record<Language, string> = { zh: '中文', en: 'English' };
const languageOrder: readonly Language[] = ['zh', 'en'];

function LanguageItems() {
  const language = useLanguage();
  return languageOrder.map((choice) => (
    <Menu.Item
      key={choice}
      lang={choice}
      rightSection={language === choice ? <Check size={14} /> : null}
      onClick={() => chooseLanguage(choice)}
    >
      {languageNames[choice]}
    </Menu.Item>
  ));
}

/** The theme, for guests. */
export function ThemeMenu() {
  const t = useTranslate();
  const { colorScheme } = useMantineColorScheme();
  const Icon = themeIcons[colorScheme];
  return (
    <LazyMenu
      button={(props) => (
        <ActionIcon {...props} size={34} aria-label={t(text.theme)}>
          <Icon size={17} />
        </ActionIcon>
      )}
    >
      <Menu.Dropdown>
        <ThemeItems />
      </Menu.Dropdown>
    </LazyMenu>
  );
}

/** The language, for guests. */
export function LanguageMenu() {
  const t = useTranslate();
  return (
    <LazyMenu
      button={(props) => (
        <ActionIcon {...props} size={34} aria-label={t(text.language)}>
          <Languages size={17} />
        </ActionIcon>
      )}
    >
      <Menu.Dropdown>
        <LanguageItems />
      </Menu.Dropdown>
    </LazyMenu>
  );
}

/** Theme and language in the account menu. */
export function PreferenceItems() {
  const t = useTranslate();
  return (
    <>
      <Menu.Sub>
        <Menu.Sub.Target>
          <Menu.Sub.Item leftSection={<Sun size={15} />}>{t(text.theme)}</Menu.Sub.Item>
        </Menu.Sub.Target>
        <Menu.Sub.Dropdown>
          <ThemeItems />
        </Menu.Sub.Dropdown>
      </Menu.Sub>
      <Menu.Sub>
        <Menu.Sub.Target>
          <Menu.Sub.Item leftSection={<Languages size={15} />}>{t(text.language)}</Menu.Sub.Item>
        </Menu.Sub.Target>
        <Menu.Sub.Dropdown>
          <LanguageItems />
        </Menu.Sub.Dropdown>
      </Menu.Sub>
    </>
  );
}
