/** Rule files in two old dialects, and the reading of settings, which their modules declare. */
package io.sdp4j.policy;
