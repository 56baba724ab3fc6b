/** Programs for the end-to-end tests that would teach nobody anything as samples. */
package io.sdp4j.e2e.programs;
