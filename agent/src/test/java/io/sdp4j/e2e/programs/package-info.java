/** Programs for the end-to-end tests that are of no use as samples. */
package io.sdp4j.e2e.programs;
