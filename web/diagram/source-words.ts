/** Names the source in the language of the page. Published pages have this script too, but not the words of the interface. */
export const sourceWords = (language: string): string => (language.startsWith('de') ? 'Quelltext des Diagramms' : 'Source of the diagram')
