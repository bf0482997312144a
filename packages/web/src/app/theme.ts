import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/** The only accent. No status uses this iris, so other colours always carry meaning. */
const iris: MantineColorsTuple = [
  '#f2f1fe',
  '#e2e0fc',
  '#c6c1f8',
  '#a9a1f4',
  '#8f84ee',
  '#7466e4',
  '#5547d6',
  '#483bbb',
  '#3b3199',
  '#2c2574',
];

/** Cool greys. In dark mode 7 is the page, 6 surfaces, 5 hovered elements, 4 lines. */
const dark: MantineColorsTuple = [
  '#e7e8ee',
  '#c9cbd5',
  '#a2a5b3',
  '#858999',
  '#30333f',
  '#262934',
  '#191b23',
  '#111218',
  '#0c0d12',
  '#07080b',
];

const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#f0f1f4',
  '#e6e8ed',
  '#dadde4',
  '#c3c7d1',
  '#9da2af',
  '#6a7080',
  '#4b5060',
  '#31353f',
  '#1a1c23',
];

// The families are in `styles/fonts.css`. No `system-ui`: on Linux it is often a wide font without Chinese, and the two
// scripts then do not match.
const sans = 'var(--tg-sans)';
const mono = "ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Noto Sans Mono', monospace";

const controlHeight: Record<string, string> = { xs: '28px', sm: '34px', md: '38px' };
const heightOf = (size: unknown) => controlHeight[typeof size === 'string' ? size : 'sm'];

/** `{name: value}` when there is a value: Mantine must not receive an undefined variable. */
const variable = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value });

/** Popups are inside a landmark (`layout/popups.tsx`), and above dialogs (400): a dialog has lists, too. */
const popup = { portalProps: { target: '#popups' }, zIndex: 450 };

// The list scrolls by itself (`base.css`): the keyboard could not reach a second frame that scrolls inside it.
const choices = { checkIconPosition: 'right', withScrollArea: false, comboboxProps: { shadow: 'md' } };

const overlay = { transitionProps: { duration: 140 }, overlayProps: { backgroundOpacity: 0.45 } };

export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: 6,
  colors: { iris, dark, gray },
  defaultRadius: 'sm',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  fontFamily: sans,
  fontFamilyMonospace: mono,
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '20px', xl: '28px' },
  headings: {
    fontFamily: sans,
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '1.3' },
      h2: { fontSize: '17px', lineHeight: '1.35' },
      h3: { fontSize: '14px', lineHeight: '1.4' },
    },
  },
  breakpoints: { xs: '37.5em', sm: '48em', md: '62em', lg: '75em', xl: '90em' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: {
      defaultProps: { size: 'sm' },
      vars: (_theme: unknown, props: { size?: unknown }) => ({
        root: variable('--button-height', heightOf(props.size)),
      }),
    },
    Input: {
      vars: (_theme: unknown, props: { size?: unknown }) => ({
        wrapper: variable('--input-height', heightOf(props.size)),
      }),
    },
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Drawer: { defaultProps: { position: 'right', ...overlay } },
    // Their headers are `header` elements, which count as banners of the page outside of articles.
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    ModalHeader: { defaultProps: { role: 'presentation' } },
    Modal: { defaultProps: { centered: true, radius: 'lg', ...overlay } },
    Switch: { defaultProps: { withThumbIndicator: false } },
    Menu: {
      defaultProps: {
        shadow: 'md',
        radius: 'md',
        transitionProps: { duration: 100 },
        // The hidden element that Mantine focuses first is no menu item, so a menu must not contain it.
        withInitialFocusPlaceholder: false,
      },
    },
    Popover: { defaultProps: popup },
    Tooltip: {
      defaultProps: { ...popup, openDelay: 250, withArrow: true, transitionProps: { duration: 80 } },
    },
    Select: { defaultProps: choices },
    MultiSelect: { defaultProps: choices },
    TagsInput: { defaultProps: { withScrollArea: false } },
  },
});

/** Mantine's semantic colours, bound to the tokens of `styles/tokens.css`. */
export const cssVariables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-text': 'var(--tg-text)',
    '--mantine-color-dimmed': 'var(--tg-text-2)',
    '--mantine-color-placeholder': 'var(--tg-text-3)',
    '--mantine-color-body': 'var(--tg-canvas)',
    '--mantine-color-default': 'var(--tg-surface)',
    '--mantine-color-default-hover': 'var(--tg-hover)',
    '--mantine-color-default-border': 'var(--tg-border-strong)',
    '--mantine-color-error': 'var(--tg-bad)',
    '--mantine-color-anchor': 'var(--tg-accent-text)',
    '--mantine-color-iris-light': 'var(--tg-accent-soft)',
    '--mantine-color-iris-light-hover': 'var(--tg-accent-line)',
    '--mantine-color-iris-light-color': 'var(--tg-accent-text)',
  };
  return { variables: {}, light: shared, dark: shared };
};
