/**
 * Style rules of the formulas in all components. Each rule turns an inline declaration into a class. They are separate from the typesetting library,
 * which only some components need.
 */
export const formulaRules = new CSSStyleSheet()
