/** The name under which this person's comments and suggestions are sent. */
import { computed } from '@preact/signals'
import { guestNumber, personName } from './person.ts'

/** This person's name, or else "Guest" with a number. The service stores "Guest" in English, and each page translates it (people.ts). */
export const signature = computed(() => personName.value || (guestNumber.value === undefined ? '' : `Guest ${guestNumber.value}`))
